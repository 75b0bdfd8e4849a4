import type { Target } from '../target.ts';

/** An endpoint of the OpenAI API. */
export type Endpoint = 'chat' | 'completions' | 'embeddings';

/** A level of load: a number of concurrent requests, or a number of requests per second. */
export type Pace =
  | { readonly kind: 'concurrency'; readonly concurrency: number }
  | {
      readonly kind: 'rate';
      readonly perSecond: number;
      readonly arrival: 'poisson' | 'constant';
      readonly seed: number;
    };

/** The end of the load: after a number of requests, or after a time in which requests are started. */
export type Extent = { readonly requests: number } | { readonly milliseconds: number };

/** The part of the load that one worker generates. */
export interface WorkerTask {
  readonly target: Target;
  readonly endpoint: Endpoint;
  readonly isStreaming: boolean;
  /** Whole request bodies, taken in turn. */
  readonly bodies: readonly string[];
  /** Milliseconds that one request may take. */
  readonly timeout: number;
  readonly pace: Pace;
  readonly extent: Extent;
  /** Milliseconds that open requests may continue after the end of the time. */
  readonly grace: number;
  /** Whether outcomes contain the texts of the responses, for a token counter. */
  readonly keepsTexts: boolean;
  /** The number of requests before the measured ones, and their bodies, which differ. */
  readonly warmup: number;
  readonly warmupBodies: readonly string[];
  /** The index of this worker: the first one sends requests 0, n, 2n and so on. */
  readonly worker: number;
  readonly workers: number;
}

/** The outcome of one request. Times are milliseconds of the monotonic clock, which all processes share. */
export interface Outcome {
  /** The index of the request in the load, and of its body, modulo the number of bodies. */
  readonly index: number;
  readonly startedAt: number;
  /** When the first and the last text arrived; undefined without text. */
  readonly firstAt: number | undefined;
  readonly lastAt: number | undefined;
  /** Events with text. */
  readonly events: number;
  /** Sent a second time, because the reused connection was closed. */
  readonly wasResent: boolean;
  readonly texts: readonly string[];
  readonly promptTokens: number | undefined;
  readonly completionTokens: number | undefined;
  /** The error message; the same errors have the same message. */
  readonly error: string | undefined;
}

/** The start of the error of a request that did not reach the server. */
export const connectionFailed = 'connection failed';

/** The cost of a worker during the measurement. */
export interface WorkerCost {
  readonly cpuMilliseconds: number;
  readonly wallMilliseconds: number;
  /** How late its event loop was, at the 99th percentile. */
  readonly loopDelay: number;
  /** The highest delay of a request behind its planned start; zero without planned starts. */
  readonly lateness: number;
  /** Requests that were still open after the time and its grace. */
  readonly cut: number;
}

/** The number of events with text per step of the timeline. */
export type TextCounts = readonly (readonly [step: number, events: number])[];

/** Messages to a worker. */
export type ToWorker =
  | { readonly kind: 'prepare'; readonly task: WorkerTask }
  | { readonly kind: 'measure' }
  | { readonly kind: 'stop' };

/** The outcome of the warm-up. */
export interface Warmup {
  readonly succeeded: number;
  /** The errors of the others. */
  readonly errors: readonly string[];
}

/** Messages from a worker. */
export type FromWorker =
  | { readonly kind: 'ready'; readonly warmup: Warmup }
  /** The outcomes since the last progress message. */
  | { readonly kind: 'progress'; readonly outcomes: readonly Outcome[] }
  | { readonly kind: 'done'; readonly cost: WorkerCost; readonly textCounts: TextCounts }
  | { readonly kind: 'failed'; readonly message: string };

/** Milliseconds in a step of the timeline. */
export const timelineStep = 100;
