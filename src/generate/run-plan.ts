import type { Generation } from '../contracts/events.ts';
import { bestOf } from './best-of.ts';
import { bundled } from './bundled-generation.ts';
import type { GeneratedResponse } from './generated-response.ts';
import { generate } from './generation.ts';
import { after, type MaybePromise } from './maybe-promise.ts';
import { firstRound, type PreparedPrompts, type Run, type StartRound } from './plan.ts';
import { generateReasoned, type ReasoningPhase } from './reasoned-choice.ts';
import { generateChecked, type StartedAttempt } from './structured.ts';
import type { WriteCorrection } from './structured-emulation.ts';

/** What the prompts of a plan determine. */
interface PlannedPrompts extends PreparedPrompts {
  /** How the model reasons first, if the prompt allows it. */
  readonly phase?: ReasoningPhase | undefined;
  /** Writes the prompt that requests a corrected response; left out: the same prompt is sent again. */
  readonly correct?: WriteCorrection | undefined;
  /** Ignored fields besides those of the plan. */
  readonly ignored?: readonly string[];
}

/** Generates by the plan's strategy: each stage wraps the next, with the plain generation inside. */
export function runPlan(run: Run, prepared: PlannedPrompts): MaybePromise<GeneratedResponse> {
  const { plan } = run;
  const { check: emulation } = plan;
  const round = firstRound(plan, prepared);
  const begin = beginBy(run, prepared.phase);
  const started: MaybePromise<StartedAttempt> = emulation
    ? generateChecked(run, round, { emulation, begin, correct: prepared.correct })
    : after(begin(run, round), (generation) => ({ generation }));
  return after(started, ({ generation, structuredHeader }) => ({
    options: plan.options,
    generation: withBundles(run, generation),
    isStreamed: plan.isStreamed,
    ignored: prepared.ignored ? [...prepared.ignored, ...plan.ignored] : plan.ignored,
    structuredHeader,
  }));
}

/** A stream sends its deltas in bundles if the request or the settings say so. */
function withBundles({ plan, coalescing }: Run, generation: Generation): Generation {
  const { streamInterval: interval } = plan.options;
  if (!plan.isStreamed || (interval === 1 && !coalescing?.isOn)) return generation;
  return bundled(generation, { interval, coalescing });
}

/** How a round of the plan starts: plain, as the best of several, or after reasoning. */
function beginBy({ plan: { strategy } }: Run, phase: ReasoningPhase | undefined): StartRound {
  const { candidates, reasonsFirst } = strategy;
  if (candidates !== undefined) return (run, round) => bestOf(run, round, candidates);
  if (reasonsFirst && phase) return (run, round) => generateReasoned(run, round, phase);
  return generate;
}
