import type { GenerateDecoder } from '../contracts/contract.ts';
import { type EventSink, type Generation, giveSafely, type RunningGeneration } from '../contracts/events.ts';
import { ApiError } from '../errors.ts';
import { ResponseTimeoutError } from '../kserve/response-timeout-error.ts';
import type { InferResponse, ResponseSink, RunningInference } from '../kserve/server.ts';
import { StatusError } from '../kserve/status.ts';
import type { InferenceWatch } from '../request-watch.ts';
import type { ChoiceReader } from './choice-reader.ts';
import { type ErrorContext, generationError } from './generation-errors.ts';

interface ChoiceOptions {
  /** Starts the inference. */
  readonly begin: (sink: ResponseSink) => RunningInference;
  readonly decoder: GenerateDecoder;
  readonly reader: ChoiceReader;
  /** Ends the inference on servers where cancelling its stream does not. */
  readonly stop?: ((hasStarted: boolean) => void) | undefined;
  readonly errorContext: ErrorContext;
  /** Observes the first response and the end. */
  readonly watch: Pick<InferenceWatch, 'first' | 'end'>;
}

/** Runs one inference: decodes its responses as they come, into a reader that passes their events to the sink. */
export class ChoiceRun implements Generation, RunningGeneration, ResponseSink {
  readonly #options: ChoiceOptions;
  #sink: EventSink | undefined;
  #running: RunningInference | undefined;
  #hasStarted = false;
  /** Whether a server has ended the inference with an error. */
  #hasFailed = false;
  /** Whether the inference has ended or was cancelled. */
  #isDone = false;
  /** Whether the sink gets no more events. */
  #isOver = false;
  /** How many token counts are pending. */
  #counts = 0;

  constructor(options: ChoiceOptions) {
    this.#options = options;
  }

  /** Whether a response has arrived. */
  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  start(sink: EventSink): this {
    this.#sink = sink;
    this.#running = this.#options.begin(this);
    return this;
  }

  response(response: InferResponse): void {
    if (this.#isDone) return;
    const { reader, decoder } = this.#options;
    try {
      if (!this.#hasStarted) this.#first();
      decoder.push(response, reader);
    } catch (error) {
      this.#fail(error);
      return;
    }
    const counting = reader.count();
    if (counting) this.#count(counting);
    // A stop sequence was found, which ends the inference too.
    if (reader.isComplete && !this.#isEnded && !this.#isDone) {
      this.#endInference();
      this.#finish();
    }
  }

  end(error?: unknown): void {
    if (this.#isDone) return;
    const { reader, watch } = this.#options;
    if (error !== undefined) this.#fail(error);
    else if (!reader.isComplete)
      this.#fail(new ApiError('backend_error', 'The backend ended the response without finishing it.'));
    else {
      this.#isDone = true;
      watch.end();
      this.#finish();
    }
  }

  pause(): void {
    this.#running?.pause();
  }

  resume(): void {
    this.#running?.resume();
  }

  cancel(): void {
    this.#close();
    this.#endInference();
  }

  #first(): void {
    this.#hasStarted = true;
    this.#options.watch.first();
    if (this.#sink) this.#options.reader.begin(this.#sink);
  }

  #count(counting: Promise<void>): void {
    this.#counts++;
    counting.then(
      () => {
        this.#counts--;
        if (this.#isDone) this.#finish();
      },
      (error: unknown) => this.#fail(error),
    );
  }

  /** All responses have arrived; the last events may wait for a count. */
  #finish(): void {
    if (this.#isOver || this.#counts > 0) return;
    this.#isOver = true;
    if (this.#sink) giveSafely(this.#sink, (sink) => sink.end());
  }

  #fail(error: unknown): void {
    if (this.#isOver) return;
    const { errorContext } = this.#options;
    // A server that returns an error has ended the inference itself; one that timed out has not.
    if (error instanceof StatusError && !(error instanceof ResponseTimeoutError) && !errorContext.signal.aborted)
      this.#hasFailed = true;
    this.#close();
    this.#endInference(error);
    this.#sink?.fail(generationError(error, errorContext));
  }

  #close(): void {
    this.#isOver = true;
    this.#options.reader.close();
  }

  get #isEnded(): boolean {
    return this.#hasFailed || this.#options.reader.isEnded;
  }

  /** Ends the inference if it has not ended itself. */
  #endInference(error?: unknown): void {
    const { stop, watch } = this.#options;
    if (this.#isDone) return;
    this.#isDone = true;
    if (!this.#isEnded) stop?.(this.#hasStarted);
    watch.end(error);
    this.#running?.cancel();
  }
}
