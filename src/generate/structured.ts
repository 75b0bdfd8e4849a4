import type { Generation } from '../contracts/events.ts';
import { CheckedEvents } from './checked-events.ts';
import type { Round, Run, StartRound } from './plan.ts';
import { mayStop, ResponseCheck } from './response-check.ts';
import { type Emulation, structuredHeader, type WriteCorrection } from './structured-emulation.ts';
import { triesOf } from './structured-tries.ts';

interface CheckedRun {
  readonly emulation: Emulation;
  readonly begin: StartRound;
  /** Left out: a retry has the same prompt. */
  readonly correct: WriteCorrection | undefined;
}

/** Responses that are about to start, and the header that says how they were checked. */
export interface StartedAttempt {
  readonly generation: Generation;
  readonly structuredHeader?: string | undefined;
}

/**
 * Generates responses with the plan's check. Either they are checked as they arrive, and the first wrong character is
 * an error; or they are checked whole, and Conch retries a wrong one.
 */
export async function generateChecked(
  run: Run,
  round: Round,
  { emulation, begin, correct }: CheckedRun,
): Promise<StartedAttempt> {
  const { generation, tries } = run.plan.strategy.asksAgain
    ? await triesOf(run, round, { emulation, begin, correct })
    : { generation: checked(await begin(run, round), { run, round, emulation }), tries: 1 };
  return { generation, structuredHeader: structuredHeader(emulation, tries) };
}

interface CheckedRound {
  readonly run: Run;
  readonly round: Round;
  readonly emulation: Emulation;
}

function checked(generation: Generation, { run: { signal }, round, emulation }: CheckedRound): Generation {
  const { prefixes, choicesPerPrompt, sampling } = round;
  const newCheck = (choice: number): ResponseCheck => {
    const prefix = prefixes[Math.floor(choice / choicesPerPrompt)] ?? '';
    return new ResponseCheck(emulation, { prefix, signal, mayStop: mayStop(sampling) });
  };
  return new CheckedEvents(generation, { emulation, newCheck });
}
