import type { GenerateEvent, GenerateEvents } from '../contracts/events.ts';
import { ApiError } from '../errors.ts';
import { isSuspect } from '../kserve/engine-failure.ts';
import { StreamFault } from '../kserve/infer-codec.ts';
import type { ServerGroup } from '../kserve/server-group.ts';
import { type StatusCode, StatusError } from '../kserve/status.ts';
import type { ChoiceStream } from './choice-stream.ts';
import { addTry, type Tally, tallyOfTry, usageOf } from './tally.ts';

/** An inference that may be begun several times. */
interface Gathering {
  /** Begins a try, from number 0 on, which counts into a tally of its own. */
  readonly begin: (number: number, tally: Tally) => ChoiceStream;
  /** How many answers it gives. */
  readonly answers: number;
  /** How often it is begun again, and whether it may be now. */
  readonly retries: number;
  readonly again: ServerGroup['again'];
  readonly signal: AbortSignal;
  /** The tally of the request, which the try that is complete is added to. */
  readonly tally: Tally;
  /** The tallies of the tries that run. */
  readonly running: Set<Tally>;
}

/**
 * The events of one inference, all together when it is complete. As nothing of it was given before, one that its server
 * breaks off is begun again; what fails before the first response is the business of the server group.
 */
export class GatheredChoice implements GenerateEvents {
  readonly #gathering: Gathering;
  #choice: ChoiceStream | undefined;
  #lastTry: Tally | undefined;
  #isOver = false;

  constructor(gathering: Gathering) {
    this.#gathering = gathering;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<GenerateEvent[]>> {
    if (this.#isOver) return { done: true, value: undefined };
    const { retries } = this.#gathering;
    for (let number = 0; !this.#isOver; number++) {
      try {
        const value = await this.#try(number);
        this.#isOver = true;
        return { done: false, value };
      } catch (error) {
        if (this.#isOver || number === retries || !this.#mayTryAgain(error)) throw error;
        if (!(await this.#gathering.again(this.#gathering.signal))) throw error;
      }
    }
    return { done: true, value: undefined };
  }

  /** Ends the try that runs, also while somebody waits for it. */
  async return(): Promise<IteratorResult<GenerateEvent[]>> {
    this.#isOver = true;
    await this.#choice?.return();
    return { done: true, value: undefined };
  }

  async #try(number: number): Promise<GenerateEvent[]> {
    const { begin, answers, tally, running } = this.#gathering;
    const tried = tallyOfTry();
    const choice = begin(number, tried);
    this.#choice = choice;
    // What a try took that is begun again is the server's to answer for; that of the last one counts, also when it fails.
    if (this.#lastTry) running.delete(this.#lastTry);
    this.#lastTry = tried;
    running.add(tried);
    const events: GenerateEvent[] = [];
    for await (const batch of choice) for (const event of batch) events.push(event);
    running.delete(tried);
    addTry(tally, tried, answers);
    const usage = usageOf(tally);
    if (usage) events.push(usage);
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
