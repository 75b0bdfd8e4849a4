import type { Lengths } from '../lengths.ts';
import type { Endpoint, Pace } from '../load/messages.ts';
import type { Summary } from '../statistics.ts';

/** The metrics of requests, with NVIDIA's names, in the order of the table. */
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

/** The cost of one process. */
export interface ProcessCost {
  readonly name: string;
  readonly pid: number;
  /** Microseconds; undefined if nothing was generated. */
  readonly cpu_us_per_token?: number | undefined;
  readonly cpu_us_per_request: number;
  /** 1 is a whole core. */
  readonly cpu_share: number;
  readonly rss_mb: number;
  readonly rss_peak_mb: number;
}

/** The cost of the load generator: near its limit, it limits the results. */
export interface GeneratorCost {
  readonly processes: number;
  /** Of all its processes, and of the busiest. 1 is a whole core. */
  readonly cpu_share: number;
  readonly busiest_cpu_share: number;
  readonly cpu_us_per_request: number;
  /** How late its event loops were at the 99th percentile, the worst of them. */
  readonly loop_delay_p99_ms: number;
  /** The highest delay of a request behind its planned start; only with a rate. */
  readonly lateness_ms?: number | undefined;
}

/** One level of load: a number of concurrent requests, or of requests per second. */
export interface LevelReport {
  readonly pace: Pace;
  readonly duration_s: number;
  readonly request_count: number;
  readonly failed_count: number;
  /** Still open after the time and its grace: not part of the results. */
  readonly cut_count: number;
  /** Sent a second time, because a reused connection was closed. */
  readonly resent_count: number;
  /** The count of each error. */
  readonly errors: Readonly<Record<string, number>>;
  readonly metrics: Readonly<Partial<Record<RequestMetric, Summary>>>;
  readonly throughput: Readonly<Partial<Record<ThroughputMetric, number>>>;
  readonly generator: GeneratorCost;
  readonly processes: readonly ProcessCost[];
  /** For plots: percentiles. */
  readonly distributions: Readonly<Partial<Record<RequestMetric, readonly (readonly [number, number])[]>>>;
  /** For plots: seconds and output tokens per second. */
  readonly timeline: readonly (readonly [number, number])[];
}

/** The load of a benchmark. */
export interface LoadDescription {
  readonly url: string;
  readonly model: string;
  readonly endpoint: Endpoint;
  readonly streaming: boolean;
  readonly requests?: number | undefined;
  readonly duration_s?: number | undefined;
  /** How long open requests may continue after that. */
  readonly grace_s?: number | undefined;
  /** Undefined: the concurrency, at least ten. */
  readonly warmup?: number | undefined;
  readonly timeout_s: number;
  /** Undefined: as many processes as the load needs. */
  readonly workers?: number | undefined;
  readonly seed: number;
  readonly prompts: number;
  /** The same for the same prompts and response lengths. */
  readonly prompts_digest: string;
  readonly input_tokens: Lengths | 'of a file';
  readonly output_tokens?: Lengths | undefined;
  readonly limit_field?: string | undefined;
  readonly extra: Readonly<Record<string, unknown>>;
  /** How tokens were counted, in words. */
  readonly input_counted_by: string;
  readonly output_counted_by?: string | undefined;
}

/** The report of a benchmark, and the format of its JSON file. */
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
  /** What was not counted as planned, in whole sentences. */
  readonly notes: readonly string[];
  /** The level that failed. No further level was tried. */
  readonly failure?: { readonly pace: Pace; readonly reason: string } | undefined;
}

/** `32 concurrent requests`, `5 requests/s (poisson)`. */
export function paceText(pace: LevelReport['pace']): string {
  if (pace.kind === 'rate') return `${pace.perSecond} requests/s (${pace.arrival})`;
  return `${pace.concurrency} concurrent request${pace.concurrency === 1 ? '' : 's'}`;
}
