import { ActiveList } from '../../active-list.ts';
import type { EngineFailure } from '../../kserve/engines.ts';
import type { StatusError } from '../../kserve/status.ts';

/** An inference that runs on an engine. */
export interface EngineStream {
  /** Whether it waits for its next response. */
  readonly isWaiting: boolean;
  /** Ends it with this error. */
  abandon(error: StatusError): void;
}

/** Milliseconds without a response after which an engine with waiting inferences is probed for the first time. */
const firstSilence = 1_000;

/** The engine of one model on one server. */
export class EngineState {
  readonly streams = new ActiveList<EngineStream>();
  failure: EngineFailure | undefined;
  /** How often this process found it failed. */
  failures = 0;
  #lastActivityAt = 0;
  #patience = firstSilence;

  /** It responded, or the first of its inferences started. */
  noteActivity(now: number): void {
    this.#lastActivityAt = now;
    this.#patience = firstSilence;
  }

  /** Whether inferences waited so long that a probe is due. Each further probe takes twice as long, up to `most`. */
  isProbeDue(now: number, most: number): boolean {
    if (this.failure || now - this.#lastActivityAt < this.#patience) return false;
    for (const stream of this.streams)
      if (stream.isWaiting) {
        this.#patience += Math.min(most, this.#patience);
        return true;
      }
    return false;
  }

  /** Whether there is nothing to remember. */
  get isForgettable(): boolean {
    return this.streams.size === 0 && this.failure === undefined && this.failures === 0;
  }
}
