import { type EventSink, type GenerateEvent, type Generation, giveEvent, giveSafely } from '../contracts/events.ts';
import type { MaybePromise } from './maybe-promise.ts';

/** A generation whose events are all made at once, without a backend. */
export function readyGeneration(make: () => MaybePromise<readonly GenerateEvent[]>): Generation {
  return {
    start: (sink: EventSink) => {
      let isCancelled = false;
      Promise.resolve()
        .then(make)
        .then(
          (events) => {
            giveSafely(sink, () => {
              for (const event of events) if (!isCancelled) giveEvent(event, sink);
              if (!isCancelled) sink.end();
            });
          },
          (error: unknown) => {
            if (!isCancelled) sink.fail(error);
          },
        );
      return {
        pause: nothing,
        resume: nothing,
        cancel: () => {
          isCancelled = true;
        },
      };
    },
  };
}

function nothing(): void {
  // All of it is there already.
}
