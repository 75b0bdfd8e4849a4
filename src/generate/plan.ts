import type { EncodedImage, Sampling } from '../contracts/contract.ts';
import type { Generation } from '../contracts/events.ts';
import type { SharedServer } from '../kserve/server-group.ts';
import type { ServedModel } from '../models/served-model.ts';
import type { WantedBeams } from '../requests/sampling.ts';
import type { Signal } from '../signal.ts';
import type { GenerateContext } from './answer.ts';
import type { AnswerOptions } from './answer-options.ts';
import type { AnswerParsers } from './answer-parts.ts';
import type { GuidedStructure } from './guided-structure.ts';
import type { MaybePromise } from './maybe-promise.ts';
import type { Emulation } from './structured-emulation.ts';
import type { Prompt } from './token-inputs.ts';

/** How the responses of a plan come about. Stages that are left out of a plan cost it nothing. */
export interface Strategy {
  /** Whether a structure guides only what follows the reasoning, where a prompt leaves room for some. */
  readonly reasonsFirst: boolean;
  /** Whether a response that fails its check is asked for again; where not, it is checked as it comes. */
  readonly asksAgain: boolean;
  /** How many responses of each prompt are generated to give the best of them; undefined: all are given. */
  readonly candidates: number | undefined;
  /** How often a response that its server breaks off is begun again: 0 where its client is given it as it comes. */
  readonly retries: number;
}

/** All that is decided about a request before anything is sent. Made without waiting, and never changed. */
export interface GenerationPlan {
  readonly model: ServedModel;
  /** Ids, names and how usage is reported. */
  readonly options: AnswerOptions;
  readonly isStreamed: boolean;
  /** How many responses each prompt gets; choice number `prompt * choicesPerPrompt + response`. */
  readonly choicesPerPrompt: number;
  readonly sampling: Sampling;
  readonly beams: WantedBeams | undefined;
  readonly logprobs: number | undefined;
  /** What the backend guides the responses to. */
  readonly structure: GuidedStructure | undefined;
  /** What they are held against here; undefined: nothing. */
  readonly check: Emulation | undefined;
  readonly strategy: Strategy;
  /** Whether a response goes on with the text of its prompt, as that of a chat does not. */
  readonly continuesText: boolean;
  /** The request field that the prompts come from. */
  readonly promptField: 'messages' | 'prompt';
  /** Whether a response is to say which stop sequence ended it. */
  readonly tellsStop: boolean;
  /** Whether the token counts must be the backend's own; where not, they are only recorded. */
  readonly needsCounts: boolean;
  /** Milliseconds for all of it; undefined: no limit. */
  readonly timeout: number | undefined;
  /** Fields of the request that have no effect. */
  readonly ignored: readonly string[];
}

/** The settings that plans are made by. */
export type PlanSettings = Pick<
  GenerateContext,
  'retries' | 'structuredRetries' | 'timeout' | 'tellsStop' | 'needsCounts'
>;

/** A plan that runs, and what comes from outside it. */
export interface Run extends Pick<GenerateContext, 'watch' | 'client' | 'guides' | 'coalescing'> {
  readonly plan: GenerationPlan;
  /** What every prompt speaks of. */
  readonly images: readonly EncodedImage[];
  /** Aborted when the client has disconnected. */
  readonly signal: Signal;
  /** Shared by all rounds of a guided request; left out where there is only one. */
  readonly shared?: SharedServer | undefined;
}

/** Inferences that are begun together. A strategy is one round or several; this is what differs between them. */
export interface Round {
  readonly id: string;
  readonly prompts: readonly Prompt[];
  /** Text before each response to the prompt of the same number. */
  readonly prefixes: readonly string[];
  readonly choicesPerPrompt: number;
  readonly sampling: Sampling;
  readonly logprobs: number | undefined;
  readonly structure: GuidedStructure | undefined;
  /** Left out where all of a response is text. */
  readonly parsers?: AnswerParsers | undefined;
  readonly stream: boolean;
  /** Milliseconds; undefined: no limit. */
  readonly timeout: number | undefined;
}

/** Prepares a round. What fails before anything is sent fails here, the rest is told to the sink of the generation. */
export type Begin = (run: Run, round: Round) => MaybePromise<Generation>;

/** What a prompt adds to its plan once it is written: how the response to it is read. */
export interface Prepared {
  readonly prompts: readonly Prompt[];
  readonly prefixes: readonly string[];
  /** As planned, with what the parsers need of the backend. */
  readonly sampling: Sampling;
  readonly parsers?: AnswerParsers | undefined;
}

/** The round that a plan begins with: all of its choices. */
export function firstRound(plan: GenerationPlan, { prompts, prefixes, sampling, parsers }: Prepared): Round {
  return {
    id: plan.options.inferenceId,
    prompts,
    prefixes,
    choicesPerPrompt: plan.choicesPerPrompt,
    sampling,
    logprobs: plan.logprobs,
    structure: plan.structure,
    parsers,
    stream: plan.isStreamed,
    timeout: plan.timeout,
  };
}
