import type { GenerationPlan, Round, Run, Strategy } from '../../src/generate/plan.ts';
import type { ServedModel } from '../../src/models/served-model.ts';
import { noWatch } from '../../src/request-watch.ts';

interface RunParts extends Partial<Omit<Run, 'plan'>> {
  readonly plan?: Partial<Omit<GenerationPlan, 'model' | 'strategy'>>;
  readonly strategy?: Partial<Strategy>;
}

/** A plan for a model that runs: a streamed completion, but for the parts. */
export function runOf(model: ServedModel, { plan, strategy, ...parts }: RunParts = {}): Run {
  return {
    plan: {
      model,
      options: {
        head: { id: 'cmpl-1', created: 1, model: 'm', fingerprint: 'fp', serviceTier: undefined },
        inferenceId: 'request',
        choices: 1,
        usage: { inTheEnd: false, onEveryChunk: false },
        wantsLogprobs: false,
        wantsTokenIds: false,
        streamInterval: 1,
        sendsEveryToken: false,
        namesTokenIds: false,
      },
      isStreamed: true,
      choicesPerPrompt: 1,
      sampling: {},
      beams: undefined,
      logprobs: undefined,
      structure: undefined,
      structureOptions: undefined,
      check: undefined,
      strategy: { reasonsFirst: false, asksAgain: false, candidates: undefined, retries: 0, ...strategy },
      continuesText: true,
      tokenization: undefined,
      reports: undefined,
      promptField: 'prompt',
      tellsStop: false,
      needsCounts: true,
      timeout: undefined,
      ignored: [],
      ...plan,
    },
    images: [],
    signal: new AbortController().signal,
    watch: noWatch,
    ...parts,
  };
}

/** A round of one prompt and one choice, but for the parts. */
export function roundOf(parts: Partial<Round> = {}): Round {
  return {
    id: 'request',
    prompts: [{ text: 'Hello' }],
    prefixes: [],
    choicesPerPrompt: 1,
    sampling: {},
    logprobs: undefined,
    structure: undefined,
    stream: true,
    timeout: undefined,
    ...parts,
  };
}
