import type { GenerateEvent, GenerateEvents } from '../contracts/events.ts';

/** A synchronous step over the events of a generation: it passes on, changes or holds back what it is given. */
export interface EventStep {
  push(event: GenerateEvent, out: GenerateEvent[]): void;
  /** No more events come: what was held back is given. */
  end?(out: GenerateEvent[]): void;
}

/** The same events after a step. Leaving them ends those before it. */
export async function* stepped(events: GenerateEvents, step: EventStep): GenerateEvents {
  try {
    for await (const batch of events) {
      const out: GenerateEvent[] = [];
      for (const event of batch) step.push(event, out);
      if (out.length > 0) yield out;
    }
    const rest: GenerateEvent[] = [];
    step.end?.(rest);
    if (rest.length > 0) yield rest;
  } finally {
    await events.return?.();
  }
}

/** Leaves out reasoning, for requests that do not want to see it. */
export const withoutReasoning: EventStep = {
  push: (event, out) => {
    if (event.type !== 'reasoning-delta') out.push(event);
  },
};
