import { type EventSink, type Generation, giveSafely, type RunningGeneration } from '../contracts/events.ts';
import { ApiError } from '../errors.ts';
import { isSuspect } from '../kserve/engine-failure.ts';
import { StreamError } from '../kserve/infer-codec.ts';
import type { ServerGroup } from '../kserve/server-group.ts';
import { type StatusCode, StatusError } from '../kserve/status.ts';
import type { Signal } from '../signal.ts';
import type { ChoiceRun } from './choice-run.ts';
import { HeldEvents } from './held-events.ts';
import { runInto } from './run-into.ts';
import { addTry, type Tally, tallyOfTry, usageOf } from './tally.ts';

/** An inference that may be started several times. */
interface GatheredChoiceOptions {
  /** Starts a try, from number 0 on, which counts into its own tally. */
  readonly begin: (number: number, tally: Tally) => ChoiceRun;
  /** How many choices it returns. */
  readonly choices: number;
  /** How often it is retried, and whether it may be retried now. */
  readonly retries: number;
  readonly again: ServerGroup['again'];
  readonly signal: Signal;
  /** The tally of the request, which the complete try is added to. */
  readonly tally: Tally;
  /** The tallies of the running tries. */
  readonly running: Set<Tally>;
}

/**
 * The events of one inference, all together when it is complete. Because the client got nothing before, Conch retries
 * an inference that its server breaks off. The server group retries what fails before the first response.
 */
export class GatheredChoice implements Generation, RunningGeneration {
  readonly #options: GatheredChoiceOptions;
  #choice: ChoiceRun | undefined;
  #lastTry: Tally | undefined;
  #isOver = false;

  constructor(options: GatheredChoiceOptions) {
    this.#options = options;
  }

  start(sink: EventSink): this {
    this.#gather().then(
      (events) => {
        if (this.#isOver) return;
        this.#isOver = true;
        giveSafely(sink, () => {
          events.give(sink);
          sink.end();
        });
      },
      (error: unknown) => {
        if (!this.#isOver) sink.fail(error);
      },
    );
    return this;
  }

  pause(): void {
    // Nothing is emitted before the inference is complete.
  }

  resume(): void {
    // Nothing was paused.
  }

  cancel(): void {
    this.#isOver = true;
    this.#choice?.cancel();
  }

  async #gather(): Promise<HeldEvents> {
    const { retries, again, signal } = this.#options;
    for (let number = 0; ; number++)
      try {
        return await this.#try(number);
      } catch (error) {
        const mayTryAgain = !this.#isOver && number < retries && this.#mayTryAgain(error);
        if (mayTryAgain && (await again(signal)) && !this.#isOver) continue;
        // Retries of clients would multiply these.
        throw number > 0 && error instanceof ApiError ? error.asFinal() : error;
      }
  }

  async #try(number: number): Promise<HeldEvents> {
    const { begin, choices, tally, running } = this.#options;
    const tried = tallyOfTry();
    const choice = begin(number, tried);
    this.#choice = choice;
    // The tokens of a try that is retried do not count; those of the last one do, even if it fails.
    if (this.#lastTry) running.delete(this.#lastTry);
    this.#lastTry = tried;
    running.add(tried);
    const events = new HeldEvents();
    await runInto(choice, events);
    running.delete(tried);
    addTry(tally, tried, choices);
    const usage = usageOf(tally);
    if (usage) events.event(usage);
    return events;
  }

  #mayTryAgain(error: unknown): boolean {
    return !this.#options.signal.aborted && (this.#choice?.hasStarted ?? false) && isServerFailure(error);
  }
}

const brokenOff: ReadonlySet<StatusCode> = new Set(['UNAVAILABLE', 'INTERNAL', 'UNKNOWN', 'ABORTED', 'DATA_LOSS']);

/** Whether a response that had started failed for a reason outside the request: another server may complete it. */
function isServerFailure(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  const { code, cause } = error;
  // The engine failed, perhaps because of this request.
  if (isSuspect(cause)) return false;
  // The model itself would return the same error again; a failed engine has failed only on its own server.
  if (cause instanceof StreamError) return code === 'model_not_ready';
  if (cause instanceof StatusError) return cause.unreachable || brokenOff.has(cause.code);
  // The response ended without a finish.
  return code === 'backend_error';
}
