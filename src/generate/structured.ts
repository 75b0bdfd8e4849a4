import type { GenerateEvent, GenerateEvents } from '../contracts/events.ts';
import { AnswerCheck } from './answer-check.ts';
import { type GenerationOptions, generate } from './generation.ts';
import { type Correct, type Emulation, invalidAnswer, undecided } from './structured-emulation.ts';
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
  { prefixes, choicesPerPrompt, signal }: GenerationOptions,
  emulation: Emulation,
): GenerateEvents {
  const checks = new Map<number, AnswerCheck>();
  const checkOf = (choice: number): AnswerCheck => {
    let check = checks.get(choice);
    if (!check) {
      const prefix = prefixes[Math.floor(choice / choicesPerPrompt)] ?? '';
      check = new AnswerCheck(emulation, { prefix, signal });
      checks.set(choice, check);
    }
    return check;
  };
  try {
    for await (const batch of events) {
      for (const event of batch) await check(event, checkOf, emulation);
      yield batch;
    }
  } finally {
    await events.return?.();
  }
}

async function check(
  event: GenerateEvent,
  checkOf: (choice: number) => AnswerCheck,
  emulation: Emulation,
): Promise<void> {
  if (event.type === 'usage' || event.type === 'prompt-tokens') return;
  const fault = checkOf(event.choice).push(event);
  if (fault !== undefined) throw invalidAnswer(emulation, fault, 1);
  if (event.type !== 'finish') return;
  const verdict = await checkOf(event.choice).end(event.reason);
  if (verdict.kind === 'invalid') throw invalidAnswer(emulation, verdict.message, 1);
  if (verdict.kind === 'undecided') throw undecided(emulation, verdict.message);
}
