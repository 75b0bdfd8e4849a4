import type { Lengths } from '../lengths.ts';
import type { Endpoint, Pace } from '../load/messages.ts';
import type { Summary } from '../statistics.ts';

/** The metrics of single requests, by NVIDIA's names for them, in the order of the table. */
export const requestMetrics = {
  time_to_first_token: { title: 'Time to first token', unit: 'ms' },
  inter_token_latency: { title: 'Inter-token latency', unit: 'ms' },
  request_latency: { title: 'Request latency', unit: 'ms' },
  output_sequence_length: { title: 'Output sequence length', unit: 'tokens' },
  input_sequence_length: { title: 'Input sequence length', unit: 'tokens' },
} as const;

export type RequestMetric = keyof typeof requestMetrics;

/** The metrics of a whole run. */
export const throughputMetrics = {
  output_token_throughput: { title: 'Output token throughput', unit: 'tokens/s' },
  request_throughput: { title: 'Request throughput', unit: 'requests/s' },
} as const;

export type ThroughputMetric = keyof typeof throughputMetrics;

/** What one process cost. */
export interface ProcessCost {
  readonly name: string;
  readonly pid: number;
  /** Microseconds; undefined where nothing was generated. */
  readonly cpu_us_per_token?: number | undefined;
  readonly cpu_us_per_request: number;
  /** 1 is a whole core. */
  readonly cpu_share: number;
  readonly rss_mb: number;
  readonly rss_peak_mb: number;
}

/** What the load generator itself cost: where it is near its limit, it is itself what was measured. */
export interface GeneratorCost {
  readonly processes: number;
  /** Of all its processes, and of the busiest. 1 is a whole core. */
  readonly cpu_share: number;
  readonly busiest_cpu_share: number;
  readonly cpu_us_per_request: number;
  /** How late its event loops were at the 99th percentile, the worst of them. */
  readonly loop_delay_p99_ms: number;
  /** The most that a request was begun later than planned; only with a rate. */
  readonly lateness_ms?: number | undefined;
}

/** One level of load: so many requests at a time, or so many a second. */
export interface LevelReport {
  readonly pace: Pace;
  readonly duration_s: number;
  readonly request_count: number;
  readonly failed_count: number;
  /** Still open when the time and its grace were over: part of no figure. */
  readonly cut_count: number;
  /** Sent a second time, since a kept connection turned out to be closed. */
  readonly resent_count: number;
  /** How often each fault came. */
  readonly errors: Readonly<Record<string, number>>;
  readonly metrics: Readonly<Partial<Record<RequestMetric, Summary>>>;
  readonly throughput: Readonly<Partial<Record<ThroughputMetric, number>>>;
  readonly generator: GeneratorCost;
  readonly processes: readonly ProcessCost[];
  /** For plots: what so many percent of the requests do not exceed. */
  readonly distributions: Readonly<Partial<Record<RequestMetric, readonly (readonly [number, number])[]>>>;
  /** For plots: seconds and output tokens per second. */
  readonly timeline: readonly (readonly [number, number])[];
}

/** What was asked of the server. */
export interface LoadDescription {
  readonly url: string;
  readonly model: string;
  readonly endpoint: Endpoint;
  readonly streaming: boolean;
  readonly requests?: number | undefined;
  readonly duration_s?: number | undefined;
  /** How long open requests may go on after that. */
  readonly grace_s?: number | undefined;
  /** Undefined: as many as are open at a time, and ten at least. */
  readonly warmup?: number | undefined;
  readonly timeout_s: number;
  /** Undefined: as many processes as the load needs. */
  readonly workers?: number | undefined;
  readonly seed: number;
  readonly prompts: number;
  /** The same for the same prompts and lengths of answers. */
  readonly prompts_digest: string;
  readonly input_tokens: Lengths | 'of a file';
  readonly output_tokens?: Lengths | undefined;
  readonly limit_field?: string | undefined;
  readonly extra: Readonly<Record<string, unknown>>;
  /** How tokens were counted, in words. */
  readonly input_counted_by: string;
  readonly output_counted_by?: string | undefined;
}

/** All that a benchmark has to say; the form of its JSON file. */
export interface Report {
  readonly tool: 'conch bench';
  readonly format: 1;
  readonly version: string;
  readonly date: string;
  readonly machine: { readonly node: string; readonly platform: string; readonly cpus: number };
  readonly load: LoadDescription;
  /** Ended early by a signal. */
  readonly interrupted: boolean;
  readonly levels: readonly LevelReport[];
  /** What was counted differently than it was meant to be, in whole sentences. */
  readonly notes: readonly string[];
  /** The level that could not be measured, after which none was tried. */
  readonly failure?: { readonly pace: Pace; readonly reason: string } | undefined;
}

/** `32 concurrent requests`, `5 requests/s (poisson)`. */
export function paceText(pace: LevelReport['pace']): string {
  if (pace.kind === 'rate') return `${pace.perSecond} requests/s (${pace.arrival})`;
  return `${pace.concurrency} concurrent request${pace.concurrency === 1 ? '' : 's'}`;
}
