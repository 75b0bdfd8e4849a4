import { failedPart } from '../../kserve/engine-failure.ts';
import { StatusError } from '../../kserve/status.ts';
import { type Blame, blameFor } from './outcome.ts';
import type { ServerState } from './server-state.ts';

/** The weight of a failure that may not be the server's. */
const unclearWeight = 0.5;

/** One inference on one server. Its outcome updates the state of that server. */
export class Attempt {
  readonly state: ServerState;
  readonly model: string;
  readonly #startedAt: number;
  readonly #reachTrial: number | undefined;
  readonly #modelTrial: number | undefined;
  #hasResponded = false;
  #isSettled = false;

  constructor(state: ServerState, model: string, now: number) {
    this.state = state;
    this.model = model;
    this.#startedAt = now;
    this.#reachTrial = state.reach.begin(now);
    this.#modelTrial = state.models.get(model)?.begin(now);
    state.enter();
  }

  /** The first response arrived. */
  responded(now: number): void {
    this.#hasResponded = true;
    const { state } = this;
    const breaker = state.models.get(this.model);
    if (state.reach.stateAt(now) !== 'closed' || (breaker && breaker.stateAt(now) !== 'closed')) {
      state.reach.close();
      breaker?.close();
      state.startSlowly(now);
    }
    state.noteFirstResponse(now - this.#startedAt);
  }

  /** It ended without a failure, or its reader cancelled it. */
  end(now: number): void {
    if (this.#isSettled) return;
    if (this.#hasResponded) {
      this.state.outcomes.add(now, true);
      this.state.models.get(this.model)?.complete();
    }
    this.#settle();
  }

  /** It failed. Returns who is to blame. */
  fail(error: unknown, now: number, statusOf?: (error: StatusError) => number | undefined): Blame {
    const blame = blameFor(error, statusOf);
    if (this.#isSettled) return blame;
    const { state } = this;
    const isUnreachable = error instanceof StatusError && error.unreachable;
    if (isUnreachable) state.reach.fail(now, 1, this.#reachTrial);
    else if (isFromServer(error)) state.reach.close();
    if (blame === 'server' || blame === 'unclear') {
      state.failures++;
      state.lastFailure = { error, model: this.model, at: Date.now() };
      // A failed engine gets no requests anyway, and its failure is no evidence about the server's other models.
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

/** Whether the failure came from the server itself, which is therefore reachable. */
function isFromServer(error: unknown): boolean {
  return error instanceof StatusError && error.code !== 'CANCELLED' && error.code !== 'DEADLINE_EXCEEDED';
}
