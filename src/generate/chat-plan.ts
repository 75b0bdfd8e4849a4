import type { Sampling } from '../contracts/contract.ts';
import { ApiError } from '../errors.ts';
import type { ImageSettings } from '../images/image-sources.ts';
import type { ServedModel } from '../models/served-model.ts';
import type { PromptAssets } from '../prompt/assets.ts';
import type { ChatTemplate } from '../prompt/chat-template.ts';
import type { ChatMessage, ChatRequest } from '../requests/chat-request.ts';
import { beamsOf, samplingOf, unusedByBeams } from '../requests/sampling.ts';
import { structureOf } from '../requests/structure.ts';
import { ToolLists } from '../requests/tool-lists.ts';
import { checkToolMessages, type ToolUse, toolUseOf } from '../requests/tools.ts';
import { type PromptPlan, planPrompt } from './chat-prompt.ts';
import type { CompletionOptions } from './completion-options.ts';
import { completionOptions, countsHere, needsCounts, refuseUncounted, withLength } from './generated-response.ts';
import { guidedCheck } from './guided-check.ts';
import { guidedStructure } from './guided-structure.ts';
import { type NamedImage, namedImages } from './images.ts';
import { checkIds } from './limits.ts';
import { offeredTools } from './parsers.ts';
import { type GenerationPlan, type PlanSettings, strategyOf } from './plan.ts';
import { requestOptions } from './request-options.ts';
import { responseFormat } from './response-format.ts';
import { refuseBesideEmulation } from './structured-emulation.ts';
import { refuseTruncatedImages } from './tokenization.ts';
import { checkTools } from './tool-schemas.ts';

/** What a chat plan needs besides the request. */
interface ChatFacts {
  readonly model: ServedModel;
  readonly settings: PlanSettings & { readonly images: ImageSettings };
  /** Whether the backend may guide a response to calls or text; left out: it may. */
  readonly guidesTools?: boolean;
}

export interface ChatPlan extends GenerationPlan {
  /** How the prompt is written. */
  readonly prompt: PromptPlan;
  /** What the system message adds about the structure of the response. */
  readonly instruction: string | undefined;
  readonly messages: readonly ChatMessage[];
  /** The images of the messages. */
  readonly images: readonly NamedImage[];
  /** The tools as the response calls them. */
  readonly use: ToolUse | undefined;
  /** Text before the response. */
  readonly prefix: string;
  /** The text that the response continues; undefined: it starts a new message. */
  readonly continued: string | undefined;
  readonly hidesReasoning: boolean;
}

/** Plans the response to a conversation. Throws an ApiError for everything that can be refused without a server. */
export function planChat(
  request: ChatRequest,
  { assets, ...facts }: ChatFacts & { readonly assets: PromptAssets },
): ChatPlan {
  const { model, settings } = facts;
  return decideChat(request, { ...facts, template: assets.template }, (options, sampling, use) => {
    if (!assets.tokenizer && countsHere(model, options)) refuseUncounted(model);
    checkIds(model, assets, sampling);
    return planPrompt(request, { model, assets, use, isStrict: settings.strictFields });
  });
}

/** Refuses what can be refused before the template and the tokenizer are loaded. */
export function refuseChat(request: ChatRequest, facts: ChatFacts): void {
  decideChat(request, { ...facts, template: undefined }, () => undefined);
}

/** The tools of all conversations. */
const toolLists = new ToolLists();

interface FormatFacts extends ChatFacts {
  readonly template: ChatTemplate | undefined;
}

/** Decides how the response gets its structure and calls its tools. */
function decideFormat(request: ChatRequest, { model, settings, template, guidesTools = true }: FormatFacts) {
  const isStrict = settings.strictFields ?? false;
  const tools = request.tools && toolLists.shared(request.tools);
  const requestedUse = toolUseOf({ ...request, tools });
  const offered = offeredTools(requestedUse, { model, template, isStrict });
  const schemas = checkTools(tools, { model, use: requestedUse, isStrict });
  checkToolMessages(request.messages);
  const format = responseFormat(model, {
    requestedStructure: structureOf(request),
    use: offered.use,
    guidesTools: guidesTools && schemas.canGuide,
    retries: settings.structuredRetries,
  });
  return { format, ignored: offered.ignored.length > 0 ? offered.ignored : schemas.unread };
}

/** Decides everything in one function: merging partial plans would cost time in every request. */
function decideChat<Prompt extends PromptPlan | undefined>(
  request: ChatRequest,
  { model, settings, template, guidesTools = true }: FormatFacts,
  promptOf: (options: CompletionOptions, sampling: Sampling, use: ToolUse | undefined) => Prompt,
) {
  const logprobs = chatLogprobs(request);
  const sampling = withLength(chatSampling(request, model), maxTokensOf(request) ?? model.defaults.max_tokens);
  const { format, ignored } = decideFormat(request, { model, settings, template, guidesTools });
  const { structuredRetries: retries } = settings;
  const { structure: requestedStructure, emulation, use, instruction } = format;
  const choices = request.n ?? 1;
  const beams = beamsOf(request, choices);
  const facts = { model, sampling, beams, logprobs, structure: requestedStructure, emulation };
  const { structureOptions, tokenization, reports } = requestOptions(request, facts, 'chat');
  const structure = guidedStructure(model, requestedStructure);
  if (emulation && beams) refuseBesideEmulation(emulation, beams.field);
  const wantsLogprobs = logprobs !== undefined;
  const options = completionOptions(request, { idPrefix: 'chatcmpl', model, choices, wantsLogprobs });
  const isStreamed = request.stream ?? false;
  const continues = request.continue_final_message ?? false;
  const reasonsFirst = structure !== undefined && !beams && !continues;
  const check = emulation ?? guidedCheck(structure, { retries, use, text: format.text });
  const images = namedImages(request.messages, { model, settings: settings.images });
  refuseTruncatedImages(tokenization, images.length);
  const prompt = promptOf(options, sampling, use);
  return {
    model,
    options,
    isStreamed,
    choicesPerPrompt: choices,
    sampling,
    beams,
    logprobs,
    structure,
    structureOptions,
    check,
    strategy: strategyOf({ isStreamed, beams, reasonsFirst }, settings.retries),
    continuesText: continues,
    tokenization,
    reports,
    promptField: 'messages' as const,
    tellsStop: settings.tellsStop ?? false,
    needsCounts: needsCounts(options, { isStreamed, isGuided: structure !== undefined }, settings),
    timeout: settings.timeout,
    ignored: [...ignored, ...(prompt?.ignored ?? []), ...unusedByBeams(request, beams)],
    messages: request.messages,
    images,
    prompt,
    instruction,
    use,
    prefix: request.echo ? finalAssistantText(request.messages) : '',
    continued: continues ? finalAssistantText(request.messages) : undefined,
    hidesReasoning: request.include_reasoning === false,
  };
}

function chatSampling(request: ChatRequest, model: ServedModel): Sampling {
  const sampling = samplingOf(request, model.defaults);
  const { mm_processor_kwargs: mediaOptions } = request;
  return mediaOptions && Object.keys(mediaOptions).length > 0 ? { ...sampling, mediaOptions } : sampling;
}

function chatLogprobs(request: ChatRequest): number | undefined {
  const { logprobs, top_logprobs: top } = request;
  if (typeof top === 'number' && !logprobs)
    throw new ApiError('invalid_request', 'top_logprobs: only allowed when logprobs is true.', {
      param: 'top_logprobs',
    });
  return logprobs ? (top ?? 0) : undefined;
}

function maxTokensOf(request: ChatRequest): number | null | undefined {
  const { max_completion_tokens: current, max_tokens: deprecated } = request;
  if (typeof current === 'number' && typeof deprecated === 'number' && current !== deprecated)
    throw new ApiError('invalid_request', 'max_tokens: differs from max_completion_tokens. Send only one of them.', {
      param: 'max_tokens',
    });
  return current ?? deprecated;
}

function finalAssistantText(messages: readonly ChatMessage[]): string {
  const last = messages.at(-1);
  if (last?.role !== 'assistant' || !last.content) return '';
  return typeof last.content === 'string' ? last.content : last.content.map((part) => part.text ?? '').join('');
}
