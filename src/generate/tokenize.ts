import { ApiError } from '../errors.ts';
import { generatesText, type NamedModel, type ServedModel } from '../models/served-model.ts';
import { refuseUnknownIds } from '../prompt/token-prompt.ts';
import type { ChatRequest } from '../requests/chat-request.ts';
import {
  type ApplyTemplateRequest,
  conversationOnly,
  type DetokenizeRequest,
  type TokenizeRequest,
} from '../requests/tokenize-request.ts';
import { checkToolMessages, type ToolUse, toolUseOf } from '../requests/tools.ts';
import type { Signal } from '../signal.ts';
import type { Tokenizer } from '../tokenizer.ts';
import { renderPrompt } from './chat-prompt.ts';
import type { GenerateContext } from './generated-response.ts';
import { withImagePlaceholders } from './images.ts';
import { offeredTools } from './parsers.ts';

/** The tokens of a text or chat. */
export interface TokenizeResult {
  /** The context length in tokens; null if unknown. */
  readonly maxModelLength: number | null;
  readonly tokens: Int32Array;
  /** The tokens as the vocabulary writes them; null if the request does not ask for them. */
  readonly spellings: readonly string[] | null;
}

/** What these calls need from outside the request. */
interface TokenizeContext extends Pick<GenerateContext, 'findModel' | 'images' | 'strictFields'> {
  /** The model of this name, whatever it can do, or one with an adapter. */
  findNamed(name: string): NamedModel;
  /** Aborted when the client disconnects. */
  readonly signal: Signal;
}

/** The result of a request, and its ignored fields. */
interface Outcome<Result> {
  readonly result: Result;
  readonly ignored: readonly string[];
}

/** The tokens of a text or a conversation, as the model gets them. */
export async function tokenize(request: TokenizeRequest, context: TokenizeContext): Promise<Outcome<TokenizeResult>> {
  const model = context.findNamed(request.model);
  const tokenizer = await tokenizerOf(model);
  const { source, addSpecialTokens, wantsSpellings, ignored } = planTokenize(request, model);
  const { prompt, ignored: unused } =
    typeof source === 'string'
      ? { prompt: source, ignored }
      : await render(source, { ...context.findModel(request.model), addsSpecialTokens: addSpecialTokens }, context);
  const tokens = await tokenizer.encode(prompt, { addSpecialTokens, signal: context.signal });
  const spellings = wantsSpellings ? await spellingsOf(tokens, tokenizer) : null;
  return { result: { maxModelLength: model.contextLength() ?? null, tokens, spellings }, ignored: unused };
}

/** What is tokenized, and how. */
interface TokenizePlan {
  /** A text, or a conversation whose prompt is rendered first. */
  readonly source: string | Omit<ApplyTemplateRequest, 'model'>;
  readonly addSpecialTokens: boolean;
  readonly wantsSpellings: boolean;
  /** Fields that have no effect on a text. */
  readonly ignored: readonly string[];
}

/**
 * Decides what is tokenized. Special tokens are added if the model's server adds them, unless the request says
 * otherwise.
 */
export function planTokenize(request: TokenizeRequest, model: NamedModel): TokenizePlan {
  const { prompt, messages } = request;
  if (typeof prompt === 'string' && messages)
    throw new ApiError('invalid_request', 'prompt: cannot be combined with messages. Send only one of them.', {
      param: 'prompt',
    });
  // Models without generation get texts with their special tokens.
  const usual = generatesText(model) ? model.addsSpecialTokens : true;
  const addSpecialTokens = request.add_special_tokens ?? usual;
  const wantsSpellings = request.return_token_strs ?? false;
  if (messages)
    return { source: { ...request, messages, prompt: undefined }, addSpecialTokens, wantsSpellings, ignored: [] };
  if (typeof prompt !== 'string')
    throw new ApiError('invalid_request', 'The field prompt or messages is required.', { param: 'prompt' });
  const ignored = conversationOnly.filter((field) => request[field] !== undefined && request[field] !== null);
  return { source: prompt, addSpecialTokens, wantsSpellings, ignored };
}

/** Tokens that are spelt at once: a list of a million texts takes long to transfer from another thread. */
const pieceLength = 20_000;

async function spellingsOf(tokens: Int32Array, tokenizer: Tokenizer): Promise<string[]> {
  const pieces: string[][] = [];
  for (let at = 0; at < tokens.length; at += pieceLength)
    pieces.push(await tokenizer.spellings(tokens.subarray(at, at + pieceLength)));
  return pieces.flat();
}

/** The text of tokens, including special ones. */
export async function detokenize(request: DetokenizeRequest, context: TokenizeContext): Promise<string> {
  const tokenizer = await tokenizerOf(context.findNamed(request.model));
  await refuseUnknownIds(tokenizer, request.tokens, 'tokens');
  return tokenizer.decode(request.tokens, { skipSpecialTokens: false });
}

/** The prompt of a conversation as it is sent to the model: without a BOS if the server adds one itself. */
export async function applyTemplate(request: ApplyTemplateRequest, context: TokenizeContext): Promise<Conversation> {
  return render(request, context.findModel(request.model), context);
}

interface Conversation {
  readonly prompt: string;
  readonly ignored: readonly string[];
}

async function render(
  request: Omit<ApplyTemplateRequest, 'model'>,
  model: ServedModel,
  context: TokenizeContext,
): Promise<Conversation> {
  const chatRequest: ChatRequest = { ...request, model: model.name, mm_processor_kwargs: undefined };
  checkToolMessages(chatRequest.messages);
  const assets = await model.assets();
  const isStrict = context.strictFields ?? false;
  const offered = offeredTools(toolUseOf(chatRequest), { model, template: assets.template, isStrict });
  const { messages } = await withImagePlaceholders(chatRequest.messages, { model, settings: context.images });
  const { prompt, ignored } = await renderPrompt(
    { ...chatRequest, messages: [...messages] },
    { model, assets, use: offered.use && withoutParser(offered.use), isStrict },
  );
  return { prompt, ignored: [...offered.ignored, ...ignored] };
}

/** There is no response to parse, so the model needs no tool parser. */
function withoutParser(use: ToolUse): ToolUse {
  return use.mode === 'auto' ? { ...use, mode: 'required' } : use;
}

async function tokenizerOf(model: NamedModel): Promise<Tokenizer> {
  const { tokenizer } = await model.assets();
  if (tokenizer) return tokenizer;
  throw new ApiError(
    'unsupported_parameter',
    `model: no tokenizer is set for ${model.name}; start Conch with --tokenizer ${model.name}=DIR.`,
    { param: 'model' },
  );
}
