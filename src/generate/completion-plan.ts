import { ApiError } from '../errors.ts';
import type { ServedModel } from '../models/served-model.ts';
import type { PromptAssets } from '../prompt/assets.ts';
import type { CompletionRequest } from '../requests/completion-request.ts';
import { beamsOf, samplingOf, unusedByBeams } from '../requests/sampling.ts';
import { structureOf } from '../requests/structure.ts';
import { completionOptions, countsHere, needsCounts, refuseUncounted, withLength } from './generated-response.ts';
import { guidedCheck } from './guided-check.ts';
import { guidedStructure } from './guided-structure.ts';
import { checkIds } from './limits.ts';
import { type GenerationPlan, type PlanSettings, strategyOf } from './plan.ts';
import { requestOptions } from './request-options.ts';
import { emulationOf, refuseBesideEmulation } from './structured-emulation.ts';

/** What a completion plan needs besides the request. */
interface CompletionFacts {
  readonly model: ServedModel;
  readonly settings: PlanSettings;
}

export interface CompletionPlan extends GenerationPlan {
  /** The prompts as they were sent: texts, or token ids. */
  readonly rawPrompts: readonly (string | readonly number[])[];
  /** Whether the response starts with the prompt. */
  readonly echoes: boolean;
  /** Whether nothing is generated: the request asks only for its prompts. */
  readonly isEchoOnly: boolean;
  /** Whether Conch needs the model's tokenizer. */
  readonly needsTokenizer: boolean;
}

/**
 * Plans the continuation of texts. Throws an ApiError for everything that can be refused without a server. The assets
 * may be left out if the plan does not need a tokenizer.
 */
export function planCompletion(
  request: CompletionRequest,
  facts: CompletionFacts & { readonly assets: PromptAssets | undefined },
): CompletionPlan {
  const { model, assets } = facts;
  const plan = decideCompletion(request, facts);
  if (!assets?.tokenizer) {
    if (plan.rawPrompts.some((prompt) => typeof prompt !== 'string')) throw noTokenizer(model);
    if (countsHere(model, plan.options, { asksServer: !plan.isEchoOnly })) refuseUncounted(model);
  }
  if (!plan.isEchoOnly) checkIds(model, assets, plan.sampling);
  return plan;
}

/** Decides what needs no tokenizer, so that Conch refuses a request before it loads one. */
export function decideCompletion(request: CompletionRequest, { model, settings }: CompletionFacts): CompletionPlan {
  const logprobs = request.logprobs ?? undefined;
  checkEcho(request);
  const perPrompt = request.n ?? 1;
  const beams = beamsOf(request, perPrompt);
  const candidates = beams ? perPrompt : candidatesOf(request, perPrompt);
  const isRanked = candidates > perPrompt;
  const maxTokens = request.max_tokens ?? model.defaults.max_tokens;
  const sampling = withLength(samplingOf(request, model.defaults), maxTokens);
  if (isRanked && logprobs === undefined) refuseRanking(model);
  const { structuredRetries: retries } = settings;
  const { guided, emulation } = structureOrEmulation(request, { model, retries });
  const rankedLogprobs = isRanked ? (logprobs ?? 0) : logprobs;
  const echoedLogprobs = request.echo ? logprobs : undefined;
  const facts = { model, sampling, beams, logprobs: rankedLogprobs, structure: guided, emulation, echoedLogprobs };
  const { structureOptions, tokenization, reports } = requestOptions(request, facts, 'completions');
  const structure = guidedStructure(model, guided);
  const check = reports?.isPromptOnly ? undefined : (emulation ?? guidedCheck(structure, { retries }));
  if (emulation && beams) refuseBesideEmulation(emulation, beams.field);
  if (emulation && isRanked) refuseBesideEmulation(emulation, 'best_of');
  const rawPrompts = promptsOf(request.prompt);
  const options = completionOptions(request, {
    idPrefix: 'cmpl',
    model,
    choices: rawPrompts.length * perPrompt,
    inferences: rawPrompts.length * candidates,
    wantsLogprobs: logprobs !== undefined,
  });
  const isStreamed = request.stream ?? false;
  const isEchoOnly = maxTokens === 0 && !reports?.isPromptOnly;
  return {
    model,
    options,
    isStreamed,
    choicesPerPrompt: perPrompt,
    sampling,
    beams,
    logprobs,
    structure,
    structureOptions,
    check,
    strategy: strategyOf({ isStreamed, beams, candidates: isRanked ? candidates : undefined }, settings.retries),
    continuesText: true,
    tokenization,
    reports,
    promptField: 'prompt',
    tellsStop: false,
    needsCounts: needsCounts(options, { isStreamed, isGuided: structure !== undefined }, settings),
    timeout: settings.timeout,
    ignored: isEchoOnly ? [] : unusedByBeams(request, beams),
    rawPrompts,
    echoes: request.echo ?? false,
    isEchoOnly,
    needsTokenizer: hasTokenIds(rawPrompts, model) || countsHere(model, options, { asksServer: !isEchoOnly }),
  };
}

/** The structured output of a request: what the backend guides to, or what Conch checks if it cannot. */
function structureOrEmulation(
  request: CompletionRequest,
  { model, retries }: { readonly model: ServedModel; readonly retries: number },
) {
  const requested = structureOf(request);
  const emulation = emulationOf(model, requested, retries);
  return { guided: emulation ? undefined : requested, emulation };
}

/** Whether a prompt is received or sent as token ids. */
function hasTokenIds(rawPrompts: CompletionPlan['rawPrompts'], { contract }: ServedModel): boolean {
  return contract.speaksTokens || rawPrompts.some((prompt) => typeof prompt !== 'string');
}

function checkEcho(request: CompletionRequest): void {
  if (request.max_tokens === 0 && !request.echo)
    throw new ApiError('invalid_request', 'max_tokens: must be at least 1 unless echo is true.', {
      param: 'max_tokens',
    });
}

function candidatesOf(request: CompletionRequest, perPrompt: number): number {
  const candidates = request.best_of ?? perPrompt;
  if (candidates < perPrompt)
    throw new ApiError('invalid_request', 'best_of: must be at least n.', { param: 'best_of' });
  if (candidates > perPrompt && request.stream)
    throw new ApiError(
      'invalid_request',
      'best_of: cannot be combined with stream, because the best completions are known only at the end.',
      {
        param: 'best_of',
      },
    );
  return candidates;
}

/** Ranking needs the logprobs, which the request itself does not ask for. */
function refuseRanking(model: ServedModel): void {
  const support = model.contract.support('logprobs');
  if (support.kind === 'refused')
    throw new ApiError('unsupported_parameter', `best_of: ${support.reason}`, { param: 'best_of' });
}

function promptsOf(prompt: CompletionRequest['prompt']): readonly (string | readonly number[])[] {
  const list = (Array.isArray(prompt) && typeof prompt[0] !== 'number' ? prompt : [prompt]) as (string | number[])[];
  if (list.includes('')) throw new ApiError('invalid_request', 'prompt: must not be empty.', { param: 'prompt' });
  return list;
}

function noTokenizer(model: ServedModel): ApiError {
  return new ApiError(
    'invalid_request',
    `prompt: token ids need a tokenizer for this model; start Conch with --tokenizer ${model.name}=DIR, or send text.`,
    { param: 'prompt' },
  );
}
