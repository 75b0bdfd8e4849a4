import type { EncodedImage, Sampling, StructureOptions } from '../contracts/contract.ts';
import type { Generation } from '../contracts/events.ts';
import type { SharedServer } from '../kserve/server-group.ts';
import type { ServedModel } from '../models/served-model.ts';
import type { RequestedBeams } from '../requests/sampling.ts';
import type { Signal } from '../signal.ts';
import type { CompletionOptions } from './completion-options.ts';
import type { GenerateContext } from './generated-response.ts';
import type { GuidedStructure } from './guided-structure.ts';
import type { MaybePromise } from './maybe-promise.ts';
import type { ResponseParsers } from './response-parts.ts';
import type { Emulation } from './structured-emulation.ts';
import type { Prompt } from './token-inputs.ts';
import { requestedPromptLogprobs, type TokenReports } from './token-reports.ts';
import type { Tokenization } from './tokenization.ts';

/** How a plan generates its responses. Stages that a plan leaves out cost nothing. */
export interface Strategy {
  /** Whether a structure guides only what follows the reasoning, if the prompt allows reasoning. */
  readonly reasonsFirst: boolean;
  /** Whether Conch retries a response that fails its check; if not, it is checked as it arrives. */
  readonly asksAgain: boolean;
  /** How many responses of each prompt are generated to return the best of them; undefined: all are returned. */
  readonly candidates: number | undefined;
  /** How often Conch retries a response that its server breaks off: 0 if it is streamed. */
  readonly retries: number;
}

interface StrategyFacts extends Partial<Pick<Strategy, 'reasonsFirst' | 'candidates'>> {
  readonly isStreamed: boolean;
  readonly beams: RequestedBeams | undefined;
}

export function strategyOf(facts: StrategyFacts, retries: number): Strategy {
  const { isStreamed, beams, reasonsFirst = false, candidates } = facts;
  return {
    reasonsFirst,
    // A beam search would return the same again. A single candidate is not requested again.
    asksAgain: !isStreamed && !beams && candidates === undefined,
    candidates,
    retries: isStreamed ? 0 : retries,
  };
}

/** Everything that is decided about a request before anything is sent. Made synchronously, and never changed. */
export interface GenerationPlan {
  readonly model: ServedModel;
  /** Ids, names and how usage is reported. */
  readonly options: CompletionOptions;
  readonly isStreamed: boolean;
  /** How many responses each prompt gets; choice number `prompt * choicesPerPrompt + response`. */
  readonly choicesPerPrompt: number;
  readonly sampling: Sampling;
  readonly beams: RequestedBeams | undefined;
  readonly logprobs: number | undefined;
  /** What the backend guides the responses to. */
  readonly structure: GuidedStructure | undefined;
  readonly structureOptions: StructureOptions | undefined;
  /** What Conch checks them against; undefined: nothing. */
  readonly check: Emulation | undefined;
  readonly strategy: Strategy;
  /** Whether a response continues the text of its prompt, unlike that of a chat. */
  readonly continuesText: boolean;
  /** Undefined: the usual one. */
  readonly tokenization: Tokenization | undefined;
  /** Undefined: none. */
  readonly reports: TokenReports | undefined;
  /** The request field that the prompts come from. */
  readonly promptField: 'messages' | 'prompt';
  /** Whether a response says which stop sequence ended it. */
  readonly tellsStop: boolean;
  /** Whether the token counts must be the backend's own; if not, they are only recorded. */
  readonly needsCounts: boolean;
  /** Milliseconds for all of it; undefined: no limit. */
  readonly timeout: number | undefined;
  /** Ignored fields of the request. */
  readonly ignored: readonly string[];
}

/** The settings that plans depend on. */
export type PlanSettings = Pick<
  GenerateContext,
  'retries' | 'structuredRetries' | 'timeout' | 'tellsStop' | 'needsCounts' | 'strictFields'
>;

/** A running plan, with what comes from outside it. */
export interface Run extends Pick<GenerateContext, 'watch' | 'client' | 'guides' | 'coalescing'> {
  readonly plan: GenerationPlan;
  /** The images of every prompt. */
  readonly images: readonly EncodedImage[];
  /** Aborted when the client disconnects. */
  readonly signal: Signal;
  /** Shared by all rounds of a guided request; left out if there is only one. */
  readonly shared?: SharedServer | undefined;
}

/** Inferences that start together. A strategy has one round or several; this is what differs between them. */
export interface Round {
  readonly id: string;
  readonly prompts: readonly Prompt[];
  /** Text before each response to the prompt of the same number. */
  readonly prefixes: readonly string[];
  readonly choicesPerPrompt: number;
  readonly sampling: Sampling;
  readonly logprobs: number | undefined;
  /** Left out: no logprobs of the prompt. */
  readonly promptLogprobs?: number | undefined;
  readonly structure: GuidedStructure | undefined;
  /** Left out if all of a response is text. */
  readonly parsers?: ResponseParsers | undefined;
  readonly stream: boolean;
  /** Milliseconds; undefined: no limit. */
  readonly timeout: number | undefined;
}

/** Prepares a round. Throws what fails before anything is sent; the sink of the generation gets later errors. */
export type StartRound = (run: Run, round: Round) => MaybePromise<Generation>;

/** What a written prompt adds to its plan: how its response is parsed. */
export interface PreparedPrompts {
  readonly prompts: readonly Prompt[];
  readonly prefixes: readonly string[];
  /** As planned, with what the parsers need from the backend. */
  readonly sampling: Sampling;
  readonly parsers?: ResponseParsers | undefined;
}

/** The first round of a plan: all of its choices. */
export function firstRound(plan: GenerationPlan, { prompts, prefixes, sampling, parsers }: PreparedPrompts): Round {
  return {
    id: plan.options.inferenceId,
    prompts,
    prefixes,
    choicesPerPrompt: plan.choicesPerPrompt,
    sampling,
    logprobs: plan.logprobs,
    promptLogprobs: requestedPromptLogprobs(plan.reports),
    structure: plan.structure,
    parsers,
    stream: plan.isStreamed,
    timeout: plan.timeout,
  };
}
