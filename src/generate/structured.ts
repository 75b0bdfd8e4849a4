import type { GenerateEvent, GenerateEvents } from '../contracts/events.ts';
import { AnswerCheck, mayStop } from './answer-check.ts';
import type { GenerationOptions } from './generation.ts';
import { type Correct, type Emulation, invalidAnswer, structuredHeader, undecided } from './structured-emulation.ts';
import { type Begin, triesOf } from './structured-tries.ts';

/** How the answers that are checked come about. */
export interface CheckedRun {
  /** Begins a generation; the options have the structure that the backend guides it to. */
  readonly begin: Begin;
  /** Left out: an answer is asked for again with the same prompt. */
  readonly correct?: Correct | undefined;
  /** Whether the answers belong together, so that none is asked for again alone. */
  readonly isOnce?: boolean;
}

/**
 * Generates answers that have their form. Streamed, they are read as they come, and the first wrong character is a fault;
 * unstreamed, a wrong answer is asked for again, but for those of a beam search, which would be the same.
 */
export async function generateChecked(
  options: GenerationOptions,
  emulation: Emulation,
  { begin, correct, isOnce = false }: CheckedRun,
): Promise<{ readonly events: GenerateEvents; readonly structuredHeader: string }> {
  const asked = emulation.isGuided ? options : { ...options, structure: undefined };
  const isTriedAgain = !options.stream && !options.beams && !isOnce;
  const { events, tries } = isTriedAgain
    ? await triesOf(asked, emulation, { begin, correct })
    : { events: checked(await begin(asked), asked, emulation), tries: 1 };
  return { events, structuredHeader: structuredHeader(emulation, tries) };
}

async function* checked(
  events: GenerateEvents,
  { prefixes, choicesPerPrompt, signal, sampling }: GenerationOptions,
  emulation: Emulation,
): GenerateEvents {
  const checks = new Map<number, AnswerCheck>();
  const checkOf = (choice: number): AnswerCheck => {
    let check = checks.get(choice);
    if (!check) {
      const prefix = prefixes[Math.floor(choice / choicesPerPrompt)] ?? '';
      check = new AnswerCheck(emulation, { prefix, signal, mayStop: mayStop(sampling) });
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
