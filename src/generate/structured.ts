import type { GenerateEvent, GenerateEvents } from '../contracts/events.ts';
import { type GenerationOptions, generate } from './generation.ts';
import { type Correct, type Emulation, invalidAnswer, undecided } from './structured-emulation.ts';
import { FormReader } from './structured-reader.ts';
import { triesOf } from './structured-tries.ts';

/**
 * Generates answers that have their form. Streamed, they are read as they come, and the first wrong character is a fault;
 * unstreamed, a wrong answer is asked for again.
 */
export async function generateEmulated(
  options: GenerationOptions,
  emulation: Emulation,
  correct?: Correct,
): Promise<{ readonly events: GenerateEvents; readonly tries: number }> {
  if (!options.stream) return triesOf(options, emulation, correct);
  return { events: checked(await generate({ ...options, structure: undefined }), options, emulation), tries: 1 };
}

async function* checked(
  events: GenerateEvents,
  { prefixes, choicesPerPrompt }: GenerationOptions,
  emulation: Emulation,
): GenerateEvents {
  const readers = new Map<number, FormReader>();
  const readerOf = (choice: number): FormReader => {
    let reader = readers.get(choice);
    if (!reader) {
      reader = new FormReader(emulation.form, prefixes[Math.floor(choice / choicesPerPrompt)] ?? '');
      readers.set(choice, reader);
    }
    return reader;
  };
  try {
    for await (const batch of events) {
      for (const event of batch) await check(event, readerOf, emulation);
      yield batch;
    }
  } finally {
    await events.return?.();
  }
}

async function check(
  event: GenerateEvent,
  readerOf: (choice: number) => FormReader,
  emulation: Emulation,
): Promise<void> {
  if (event.type === 'text-delta') {
    const fault = readerOf(event.choice).push(event.text);
    if (fault !== undefined) throw invalidAnswer(emulation, fault, 1);
  }
  if (event.type !== 'finish') return;
  const verdict = await readerOf(event.choice).end(event.reason);
  if (verdict.kind === 'invalid') throw invalidAnswer(emulation, verdict.message, 1);
  if (verdict.kind === 'undecided') throw undecided(emulation, verdict.message);
}
