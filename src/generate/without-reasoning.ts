import type { GenerateEvents } from '../contracts/events.ts';

/** The same events but those of reasoning, for requests that do not want to see it. */
export async function* withoutReasoning(events: GenerateEvents): GenerateEvents {
  try {
    for await (const batch of events) {
      const shown = batch.filter(({ type }) => type !== 'reasoning-delta');
      if (shown.length > 0) yield shown;
    }
  } finally {
    await events.return?.();
  }
}
