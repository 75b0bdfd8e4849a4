import type { Target } from '../target.ts';

/** Which of the OpenAI APIs is asked. */
export type Endpoint = 'chat' | 'completions' | 'embeddings';

/** How the load comes: so many requests open at a time, or so many begun in a second. */
export type Pace =
  | { readonly kind: 'concurrency'; readonly concurrency: number }
  | {
      readonly kind: 'rate';
      readonly perSecond: number;
      readonly arrival: 'poisson' | 'constant';
      readonly seed: number;
    };

/** How long the load goes on: so many requests, or until no more are begun. */
export type Extent = { readonly requests: number } | { readonly milliseconds: number };

/** The part of the load that one worker makes. */
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
  /** Milliseconds that open requests may go on once the time is over. */
  readonly grace: number;
  /** Whether the texts of the answers are wanted: somebody counts them. */
  readonly keepsTexts: boolean;
  /** Requests before those that are measured, and their bodies, which are others. */
  readonly warmup: number;
  readonly warmupBodies: readonly string[];
  /** Which of the workers this one is: the first takes requests 0, n, 2n and so on. */
  readonly worker: number;
  readonly workers: number;
}

/** What came of one request. Times are milliseconds of the machine's own clock, which all processes share. */
export interface Outcome {
  /** Which of the load's requests it was; its body is that of the same place, in turn. */
  readonly index: number;
  readonly startedAt: number;
  /** When the first and the last text came; undefined where none came. */
  readonly firstAt: number | undefined;
  readonly lastAt: number | undefined;
  /** Events that brought text. */
  readonly events: number;
  /** Sent a second time, since the kept connection turned out to be closed. */
  readonly wasResent: boolean;
  readonly texts: readonly string[];
  readonly promptTokens: number | undefined;
  readonly completionTokens: number | undefined;
  /** What went wrong, in words that are the same for the same fault. */
  readonly error: string | undefined;
}

/** How the error of a request begins that did not reach the server. */
export const connectionFailed = 'connection failed';

/** What a worker spent while it measured. */
export interface WorkerCost {
  readonly cpuMilliseconds: number;
  readonly wallMilliseconds: number;
  /** How late its event loop was, at the 99th percentile. */
  readonly loopDelay: number;
  /** How much later than planned a request was begun, at most; zero where nothing is planned. */
  readonly lateness: number;
  /** Requests that were open when the time and its grace were over. */
  readonly cut: number;
}

/** How many events with text came in one step of the timeline. */
export type TextCounts = readonly (readonly [step: number, events: number])[];

/** What a worker is told. */
export type ToWorker =
  | { readonly kind: 'prepare'; readonly task: WorkerTask }
  | { readonly kind: 'measure' }
  | { readonly kind: 'stop' };

/** What came of the requests before the measured ones. */
export interface Warmup {
  readonly answered: number;
  /** What went wrong with the others. */
  readonly errors: readonly string[];
}

/** What a worker tells. */
export type FromWorker =
  | { readonly kind: 'ready'; readonly warmup: Warmup }
  /** What came of the requests since the last such message. */
  | { readonly kind: 'progress'; readonly outcomes: readonly Outcome[] }
  | { readonly kind: 'done'; readonly cost: WorkerCost; readonly textCounts: TextCounts }
  | { readonly kind: 'failed'; readonly message: string };

/** Milliseconds in a step of the timeline. */
export const timelineStep = 100;
