import type { Generation } from '../contracts/events.ts';
import type { Answer } from './answer.ts';
import { bestOf } from './best-of.ts';
import { bundled } from './bundled-generation.ts';
import { generate } from './generation.ts';
import { after, type MaybePromise } from './maybe-promise.ts';
import { type Begin, firstRound, type Prepared, type Run } from './plan.ts';
import { generateReasoned, type ReasoningPhase } from './reasoned-choice.ts';
import { generateChecked, type Started } from './structured.ts';
import type { Correct } from './structured-emulation.ts';

/** What the prompts of a plan determine. */
interface Strategic extends Prepared {
  /** How the model reasons first, if the prompt allows it. */
  readonly phase?: ReasoningPhase | undefined;
  /** Writes the prompt that requests a corrected response; left out: the same prompt is sent again. */
  readonly correct?: Correct | undefined;
  /** Ignored fields besides those of the plan. */
  readonly ignored?: readonly string[];
}

/** Generates by the plan's strategy: each stage wraps the next, with the plain generation inside. */
export function runPlan(run: Run, prepared: Strategic): MaybePromise<Answer> {
  const { plan } = run;
  const { check: emulation } = plan;
  const round = firstRound(plan, prepared);
  const begin = beginBy(run, prepared.phase);
  const started: MaybePromise<Started> = emulation
    ? generateChecked(run, round, { emulation, begin, correct: prepared.correct })
    : after(begin(run, round), (generation) => ({ generation }));
  return after(started, ({ generation, structuredHeader }) => ({
    options: plan.options,
    generation: givenBy(run, generation),
    isStreamed: plan.isStreamed,
    ignored: prepared.ignored ? [...prepared.ignored, ...plan.ignored] : plan.ignored,
    structuredHeader,
  }));
}

/** A stream sends its deltas in bundles if the request or the settings say so. */
function givenBy({ plan, coalescing }: Run, generation: Generation): Generation {
  const interval = plan.options.streamInterval;
  if (!plan.isStreamed || (interval === 1 && !coalescing?.isOn)) return generation;
  return bundled(generation, { interval, coalescing });
}

/** How a round of the plan starts: plain, as the best of several, or after reasoning. */
function beginBy({ plan: { strategy } }: Run, phase: ReasoningPhase | undefined): Begin {
  const { candidates, reasonsFirst } = strategy;
  if (candidates !== undefined) return (run, round) => bestOf(run, round, candidates);
  if (reasonsFirst && phase) return (run, round) => generateReasoned(run, round, phase);
  return generate;
}
