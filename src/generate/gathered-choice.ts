import { type EventSink, type Generation, giveSafely, type RunningGeneration } from '../contracts/events.ts';
import { ApiError } from '../errors.ts';
import { isSuspect } from '../kserve/engine-failure.ts';
import { StreamFault } from '../kserve/infer-codec.ts';
import type { ServerGroup } from '../kserve/server-group.ts';
import { type StatusCode, StatusError } from '../kserve/status.ts';
import type { Signal } from '../signal.ts';
import type { ChoiceRun } from './choice-run.ts';
import { HeldEvents } from './held-events.ts';
import { runInto } from './run-into.ts';
import { addTry, type Tally, tallyOfTry, usageOf } from './tally.ts';

/** An inference that may be begun several times. */
interface Gathering {
  /** Begins a try, from number 0 on, which counts into a tally of its own. */
  readonly begin: (number: number, tally: Tally) => ChoiceRun;
  /** How many answers it gives. */
  readonly answers: number;
  /** How often it is begun again, and whether it may be now. */
  readonly retries: number;
  readonly again: ServerGroup['again'];
  readonly signal: Signal;
  /** The tally of the request, which the try that is complete is added to. */
  readonly tally: Tally;
  /** The tallies of the tries that run. */
  readonly running: Set<Tally>;
}

/**
 * The events of one inference, all together when it is complete. As nothing of it was given before, one that its server
 * breaks off is begun again; what fails before the first response is the business of the server group.
 */
export class GatheredChoice implements Generation, RunningGeneration {
  readonly #gathering: Gathering;
  #choice: ChoiceRun | undefined;
  #lastTry: Tally | undefined;
  #isOver = false;

  constructor(gathering: Gathering) {
    this.#gathering = gathering;
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
    // Nothing is given before all is there.
  }

  resume(): void {
    // Nothing was paused.
  }

  cancel(): void {
    this.#isOver = true;
    this.#choice?.cancel();
  }

  async #gather(): Promise<HeldEvents> {
    const { retries, again, signal } = this.#gathering;
    for (let number = 0; ; number++)
      try {
        return await this.#try(number);
      } catch (error) {
        if (this.#isOver || number === retries || !this.#mayTryAgain(error)) throw error;
        if (!(await again(signal)) || this.#isOver) throw error;
      }
  }

  async #try(number: number): Promise<HeldEvents> {
    const { begin, answers, tally, running } = this.#gathering;
    const tried = tallyOfTry();
    const choice = begin(number, tried);
    this.#choice = choice;
    // What a try took that is begun again is the server's to answer for; that of the last one counts, also when it fails.
    if (this.#lastTry) running.delete(this.#lastTry);
    this.#lastTry = tried;
    running.add(tried);
    const events = new HeldEvents();
    await runInto(choice, events);
    running.delete(tried);
    addTry(tally, tried, answers);
    const usage = usageOf(tally);
    if (usage) events.event(usage);
    return events;
  }

  #mayTryAgain(error: unknown): boolean {
    return !this.#gathering.signal.aborted && (this.#choice?.hasBegun ?? false) && isServersFault(error);
  }
}

const brokenOff: ReadonlySet<StatusCode> = new Set(['UNAVAILABLE', 'INTERNAL', 'UNKNOWN', 'ABORTED', 'DATA_LOSS']);

/** Whether an answer that had begun failed for no reason of the request's: another server may complete it. */
function isServersFault(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  const { code, cause } = error;
  // Its engine failed, perhaps because of it.
  if (isSuspect(cause)) return false;
  // What the model itself says of a request it would say again; an engine that is dead is dead on its own server only.
  if (cause instanceof StreamFault) return code === 'model_not_ready';
  if (cause instanceof StatusError) return cause.unreachable || brokenOff.has(cause.code);
  // It ended without its finish.
  return code === 'backend_error';
}
