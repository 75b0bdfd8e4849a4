import type { GenerateEvent, GenerateEvents } from '../contracts/events.ts';
import { AnswerCheck, mayStop } from './answer-check.ts';
import type { Begin, Round, Run } from './plan.ts';
import { type Correct, type Emulation, invalidAnswer, structuredHeader, undecided } from './structured-emulation.ts';
import { triesOf } from './structured-tries.ts';

interface CheckedRun {
  readonly emulation: Emulation;
  readonly begin: Begin;
  /** Left out: a response is asked for again with the same prompt. */
  readonly correct: Correct | undefined;
}

/** Responses that begin, and the header that says how they were checked. */
export interface Started {
  readonly events: GenerateEvents;
  readonly structuredHeader?: string | undefined;
}

/**
 * Generates responses that are held against the plan's check. They are read as they come, and the first wrong character is
 * an error; or they are read whole, and a wrong one is asked for again.
 */
export async function generateChecked(
  run: Run,
  round: Round,
  { emulation, begin, correct }: CheckedRun,
): Promise<Started> {
  const { events, tries } = run.plan.strategy.asksAgain
    ? await triesOf(run, round, { emulation, begin, correct })
    : { events: checked(await begin(run, round), { run, round, emulation }), tries: 1 };
  return { events, structuredHeader: structuredHeader(emulation, tries) };
}

interface CheckedRound {
  readonly run: Run;
  readonly round: Round;
  readonly emulation: Emulation;
}

async function* checked(
  events: GenerateEvents,
  { run: { signal }, round: { prefixes, choicesPerPrompt, sampling }, emulation }: CheckedRound,
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
