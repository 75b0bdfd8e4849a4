import { describe, expect, it } from 'vitest';
import { type CountedOutcome, levelReport } from './level-report.ts';
import type { Measurements } from './load/worker-pool.ts';

const outcome = (values: Partial<CountedOutcome>): CountedOutcome => ({
  index: 0,
  startedAt: 1000,
  firstAt: 1100,
  lastAt: 1300,
  events: 5,
  wasResent: false,
  promptTokens: undefined,
  completionTokens: undefined,
  error: undefined,
  inputTokens: 10,
  outputTokens: 5,
  ...values,
});

const first = outcome({});
const second = outcome({ startedAt: 1300, firstAt: 1350, lastAt: 2000, inputTokens: 20, outputTokens: 14, events: 14 });
const single = outcome({ startedAt: 1500, firstAt: 1600, lastAt: 1600, outputTokens: 1, events: 1 });
const failed = outcome({ error: 'HTTP 500: oops', lastAt: 9000 });

const measured: Measurements = {
  outcomes: [first, second, single, failed, { ...failed, error: 'HTTP 429: slow', wasResent: true }, failed].map(
    (each) => ({
      ...each,
      texts: [],
    }),
  ),
  costs: [
    { cpuMilliseconds: 500, wallMilliseconds: 1000, loopDelay: 1, lateness: 3, cut: 2 },
    { cpuMilliseconds: 100, wallMilliseconds: 1000, loopDelay: 2, lateness: 0, cut: 1 },
  ],
  textCounts: [
    [
      [10, 4],
      [12, 6],
    ],
    [[10, 10]],
  ],
};
const options = {
  pace: { kind: 'concurrency', concurrency: 2 },
  isStreaming: true,
  measured,
  succeeded: [first, second, single],
  usage: [
    {
      name: 'conch',
      pid: 7,
      before: { cpuMicroseconds: 1000, residentMegabytes: 90, peakMegabytes: 96 },
      after: { cpuMicroseconds: 401_000, residentMegabytes: 95, peakMegabytes: 96 },
      peakMegabytes: 99,
    },
  ],
  watchedMilliseconds: 2000,
} as const;

describe('levelReport', () => {
  it("computes NVIDIA's metrics", () => {
    const { metrics, throughput, duration_s } = levelReport(options);
    expect(metrics.time_to_first_token).toMatchObject({ avg: 250 / 3, min: 50, max: 100, p50: 100 });
    // (300 - 100) / 4 and (700 - 50) / 13; an answer of one token has none.
    expect(metrics.inter_token_latency).toMatchObject({ avg: 50, min: 50, max: 50, std: 0 });
    expect(metrics.request_latency).toMatchObject({ avg: 1100 / 3, min: 100, max: 700, p50: 300 });
    expect(metrics.output_sequence_length).toMatchObject({ avg: 20 / 3, min: 1, max: 14 });
    expect(metrics.input_sequence_length).toMatchObject({ avg: 40 / 3, min: 10, max: 20 });
    expect([duration_s, throughput]).toEqual([1, { output_token_throughput: 20, request_throughput: 3 }]);
  });

  it('counts failures by what went wrong, and leaves them out of all else', () => {
    expect(levelReport(options)).toMatchObject({
      request_count: 3,
      failed_count: 3,
      cut_count: 3,
      resent_count: 1,
      errors: { 'HTTP 500: oops': 2, 'HTTP 429: slow': 1 },
    });
  });

  it('says what the load generator and the watched process cost', () => {
    const { generator, processes } = levelReport(options);
    expect(generator).toEqual({
      processes: 2,
      cpu_share: 0.6,
      busiest_cpu_share: 0.5,
      cpu_us_per_request: 100_000,
      loop_delay_p99_ms: 2,
    });
    expect(processes).toEqual([
      {
        name: 'conch',
        pid: 7,
        cpu_us_per_token: 20_000,
        cpu_us_per_request: 400_000 / 6,
        cpu_share: 0.2,
        rss_mb: 95,
        rss_peak_mb: 99,
      },
    ]);
    const pace = { kind: 'rate', perSecond: 1, arrival: 'constant', seed: 1 } as const;
    expect(levelReport({ ...options, pace }).generator.lateness_ms).toBe(3);
  });

  it('spreads the tokens over time', () => {
    expect(levelReport(options).timeline).toEqual([
      [0, 140],
      [0.1, 0],
      [0.2, 60],
    ]);
  });

  it('knows no first token where nothing was streamed, and no output of embeddings', () => {
    expect(Object.keys(levelReport({ ...options, isStreaming: false }).metrics)).toEqual([
      'request_latency',
      'output_sequence_length',
      'input_sequence_length',
    ]);
    const vectors = options.succeeded.map((each) => ({ ...each, outputTokens: undefined }));
    const { metrics, throughput, processes } = levelReport({ ...options, isStreaming: false, succeeded: vectors });
    expect(Object.keys(metrics)).toEqual(['request_latency', 'input_sequence_length']);
    expect(throughput).toEqual({ request_throughput: 3 });
    expect(processes[0]?.cpu_us_per_token).toBeUndefined();
  });

  it('has no sum if only some responses have a length', () => {
    const { metrics, throughput } = levelReport({
      ...options,
      succeeded: [first, { ...second, outputTokens: undefined }],
    });
    expect(metrics.output_sequence_length).toMatchObject({ min: 5, max: 5 });
    expect(throughput).toEqual({ request_throughput: 2 });
  });

  it('works without a single success', () => {
    const none = levelReport({ ...options, succeeded: [] });
    expect(none).toMatchObject({ request_count: 0, duration_s: 0, metrics: {}, timeline: [], distributions: {} });
    expect(none.throughput).toEqual({ request_throughput: 0 });
  });
});
