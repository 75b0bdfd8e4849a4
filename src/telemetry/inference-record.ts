import { type InferenceWatch, retried } from '../request-watch.ts';
import type { InferenceTrace } from './tracing/trace.ts';

interface InferenceCells {
  readonly running: { add(amount?: number): void };
  readonly time: { observe(value: number): void };
  readonly ended: (outcome: string) => void;
}

interface InferenceOptions {
  readonly context: Readonly<Record<string, string>>;
  readonly maxTokens: number | undefined;
  readonly hasDisconnected: () => boolean;
  readonly onFirst: (time: number) => void;
  readonly onEnd: (time: number) => void;
}

/** Measures one inference of a request. */
export class InferenceRecord implements InferenceWatch {
  readonly headers: Readonly<Record<string, string>>;
  readonly maxTokens: number | undefined;
  readonly #cells: InferenceCells;
  readonly #trace: InferenceTrace | undefined;
  readonly #options: InferenceOptions;
  readonly #start = performance.now();
  #isOver = false;

  constructor(cells: InferenceCells, trace: InferenceTrace | undefined, options: InferenceOptions) {
    this.#cells = cells;
    this.#trace = trace;
    this.#options = options;
    this.maxTokens = options.maxTokens;
    this.headers = trace?.headers ?? options.context;
    cells.running.add();
  }

  first(): void {
    this.#options.onFirst(performance.now() - this.#start);
    this.#trace?.first();
  }

  end(error?: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const time = performance.now() - this.#start;
    const outcome = outcomeOf(error, this.#options.hasDisconnected());
    this.#cells.running.add(-1);
    this.#cells.time.observe(time / 1000);
    this.#cells.ended(outcome);
    this.#trace?.end(outcome);
    this.#options.onEnd(time);
  }
}

/** The outcomes of inferences: gRPC codes and others. */
const outcomes = new Set(
  (
    'CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED ' +
    'RESOURCE_EXHAUSTED FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS UNAUTHENTICATED'
  ).split(' '),
);

function outcomeOf(error: unknown, hasDisconnected: boolean): string {
  if (error === retried) return retried;
  if (hasDisconnected) return 'cancelled';
  if (error === undefined) return 'ok';
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' && outcomes.has(code) ? code.toLowerCase() : 'error';
}
