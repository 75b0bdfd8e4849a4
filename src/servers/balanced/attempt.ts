import { failedPart } from '../../kserve/engine-failure.ts';
import { StatusError } from '../../kserve/status.ts';
import { type Blame, blameFor } from './outcome.ts';
import type { ServerState } from './server-state.ts';

/** Failures that are not sure to be the server's count for so much. */
const unclearWeight = 0.5;

/** One inference on one server, and what its outcome says of that server. */
export class Attempt {
  readonly state: ServerState;
  readonly model: string;
  readonly #begun: number;
  readonly #reachTrial: number | undefined;
  readonly #modelTrial: number | undefined;
  #hasAnswered = false;
  #isSettled = false;

  constructor(state: ServerState, model: string, now: number) {
    this.state = state;
    this.model = model;
    this.#begun = now;
    this.#reachTrial = state.reach.begin(now);
    this.#modelTrial = state.models.get(model)?.begin(now);
    state.enter();
  }

  /** The first response is there. */
  answered(now: number): void {
    this.#hasAnswered = true;
    const { state } = this;
    const breaker = state.models.get(this.model);
    if (state.reach.stateAt(now) !== 'closed' || (breaker && breaker.stateAt(now) !== 'closed')) {
      state.reach.close();
      breaker?.close();
      state.startSlowly(now);
    }
    state.noteFirstResponse(now - this.#begun);
  }

  /** It has ended without a failure, or was left by its reader. */
  end(now: number): void {
    if (this.#isSettled) return;
    if (this.#hasAnswered) {
      this.state.outcomes.add(now, true);
      this.state.models.get(this.model)?.complete();
    }
    this.#settle();
  }

  /** It has failed: who is to blame. */
  fail(error: unknown, now: number, statusOf?: (error: StatusError) => number | undefined): Blame {
    const blame = blameFor(error, statusOf);
    if (this.#isSettled) return blame;
    const { state } = this;
    const isUnreachable = error instanceof StatusError && error.unreachable;
    if (isUnreachable) state.reach.fail(now, 1, this.#reachTrial);
    else if (saidSomething(error)) state.reach.close();
    if (blame === 'server' || blame === 'unclear') {
      state.failures++;
      state.lastFault = { error, model: this.model, at: Date.now() };
      // A failed engine is sent nothing anyway, and says nothing of the server's other models.
      if (!failedPart(error)) {
        state.outcomes.add(now, false);
        const weight = blame === 'server' ? 1 : unclearWeight;
        if (!isUnreachable) state.breakerOf(this.model).fail(now, weight, this.#modelTrial);
      }
    }
    this.#settle();
    return blame;
  }

  #settle(): void {
    this.#isSettled = true;
    if (this.#reachTrial !== undefined) this.state.reach.leaveTrial(this.#reachTrial);
    if (this.#modelTrial !== undefined) this.state.models.get(this.model)?.leaveTrial(this.#modelTrial);
    this.state.leave();
  }
}

/** Whether the failure came from the server itself, which therefore can be reached. */
function saidSomething(error: unknown): boolean {
  return error instanceof StatusError && error.code !== 'CANCELLED' && error.code !== 'DEADLINE_EXCEEDED';
}
