import type { LevelReport, Report } from '../../src/bench/report/report.ts';
import type { Summary } from '../../src/bench/statistics.ts';

function summary(avg: number): Summary {
  return {
    avg,
    min: avg / 2,
    max: avg * 3,
    p99: avg * 2.5,
    p90: avg * 2,
    p75: avg * 1.5,
    p50: avg,
    std: avg / 10,
  };
}

/** A level whose figures all follow from its concurrency. */
export function level(concurrency: number): LevelReport {
  return {
    pace: { kind: 'concurrency', concurrency },
    duration_s: 10,
    request_count: concurrency * 20,
    failed_count: 0,
    cut_count: 0,
    resent_count: 0,
    errors: {},
    metrics: {
      time_to_first_token: summary(12.5 * concurrency),
      inter_token_latency: summary(10),
      request_latency: summary(1300 * concurrency),
      output_sequence_length: summary(128),
      input_sequence_length: summary(550),
    },
    throughput: { output_token_throughput: 256 * concurrency, request_throughput: 2 * concurrency },
    generator: {
      processes: 1,
      cpu_share: 0.05 * concurrency,
      busiest_cpu_share: 0.05 * concurrency,
      cpu_us_per_request: 2500,
      loop_delay_p99_ms: 0.25,
    },
    processes: [],
    distributions: {
      time_to_first_token: [
        [0, 6],
        [50, 12.5],
        [100, 37.5],
      ],
    },
    timeline: [
      [0, 200],
      [0.1, 256],
    ],
  };
}

/** A report of two levels. */
export const report: Report = {
  tool: 'conch bench',
  format: 1,
  version: '1.2.3',
  date: '2026-11-15T12:00:00.000Z',
  machine: { node: 'v20.19.0', platform: 'linux x64', cpus: 2 },
  load: {
    url: 'http://localhost:9000',
    model: 'llama3',
    endpoint: 'chat',
    streaming: true,
    duration_s: 10,
    warmup: 10,
    timeout_s: 600,
    seed: 1,
    prompts: 100,
    prompts_digest: '0123456789abcdef',
    input_tokens: { mean: 550, deviation: 50 },
    output_tokens: { mean: 128, deviation: 0 },
    limit_field: 'max_tokens',
    extra: { ignore_eos: true },
    input_counted_by: 'the tokenizer ./llama3',
    output_counted_by: 'the tokenizer ./llama3',
  },
  interrupted: false,
  levels: [level(1), level(4)],
  notes: [],
};

/** A level in which much went wrong. */
export const troubled: LevelReport = {
  ...level(20),
  pace: { kind: 'rate', perSecond: 20, arrival: 'poisson', seed: 1 },
  request_count: 398,
  failed_count: 2,
  cut_count: 4,
  resent_count: 3,
  errors: { 'HTTP 429: too many, "really"': 2 },
  generator: { ...level(20).generator, lateness_ms: 55 },
  processes: [
    {
      name: 'conch',
      pid: 4711,
      cpu_us_per_token: 11.25,
      cpu_us_per_request: 1440,
      cpu_share: 0.31,
      rss_mb: 120,
      rss_peak_mb: 135.5,
    },
  ],
};
