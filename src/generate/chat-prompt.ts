import { ApiError } from '../errors.ts';
import type { ServedModel } from '../models/served-model.ts';
import type { PromptAssets } from '../prompt/assets.ts';
import type { ChatTemplate, TemplateInput, TemplateMessage } from '../prompt/chat-template.ts';
import { withoutDoubledBos } from '../prompt/token-prompt.ts';
import type { ChatMessage, ChatRequest } from '../requests/chat-request.ts';
import type { ToolUse } from '../requests/tools.ts';
import type { Tokenizer } from '../tokenizer.ts';
import { after, type MaybePromise } from './maybe-promise.ts';
import { formatsOf, refuseTools } from './parsers.ts';
import { instructed, instructedByUser } from './structured-prompt.ts';
import { toolPromptText, usesToolPrompt, withoutCalls } from './tool-prompt.ts';

interface PromptFacts {
  readonly model: ServedModel;
  readonly assets: PromptAssets;
  readonly use: ToolUse | undefined;
  /** Whether fields that the template does not read are refused. */
  readonly isStrict?: boolean | undefined;
}

/** How the prompt of a conversation is written, by the model's chat template. */
export interface PromptPlan {
  readonly template: ChatTemplate;
  /** The input of the template besides the messages. */
  readonly input: Omit<TemplateInput, 'messages'>;
  /** The system message of conversations that have none. */
  readonly system: string | undefined;
  /** Describes the tools, if the template does not. */
  readonly toolPrompt: string | undefined;
  /** Set if the server itself adds a BOS: the tokenizer knows which one. */
  readonly tokenizer: Tokenizer | undefined;
  /** Fields that the template never reads. */
  readonly ignored: readonly string[];
}

/** A prompt, and the messages that it was written from. */
export interface WrittenPrompt {
  readonly prompt: string;
  readonly messages: readonly ChatMessage[];
}

/** Plans a prompt. Refuses what the model's chat template does not support. */
export function planPrompt(request: ChatRequest, { model, assets, use, isStrict = false }: PromptFacts): PromptPlan {
  const { template, tokenizer } = assets;
  if (!template) throw noTemplate(model);
  if (use) refuseTools(model, formatsOf(model, template), use);
  const continueFinalMessage = request.continue_final_message ?? false;
  const addGenerationPrompt = request.add_generation_prompt ?? !continueFinalMessage;
  if (continueFinalMessage && addGenerationPrompt)
    throw new ApiError('invalid_request', 'continue_final_message: cannot be true if add_generation_prompt is true.', {
      param: 'continue_final_message',
    });
  const hints = templateHints(request, template);
  const [unread] = hints.ignored;
  if (unread !== undefined && isStrict) throw unreadHint(unread);
  const variables = { ...model.defaults.chat_template_kwargs, ...templateVariables(request), ...hints.variables };
  const documents = request.documents ?? undefined;
  const toolPrompt =
    use && model.toolPrompt !== undefined && usesToolPrompt(model, template)
      ? toolPromptText(model.toolPrompt, use)
      : undefined;
  const tools = toolPrompt === undefined ? use?.described : undefined;
  return {
    template,
    input: { tools, documents, addGenerationPrompt, continueFinalMessage, variables },
    system: model.system,
    toolPrompt,
    // The request itself says whether BOS is added to what the template writes.
    tokenizer: model.addsSpecialTokens && !setsSpecialTokens(request, model) ? tokenizer : undefined,
    ignored: [...unreadBy(template, request), ...hints.ignored],
  };
}

function setsSpecialTokens({ add_special_tokens: adds }: ChatRequest, { contract }: ServedModel): boolean {
  return contract.speaksTokens && typeof adds === 'boolean';
}

/** Writes a prompt. Descriptions of tools and instructions go into a new message, or into an existing one. */
export function writePrompt(
  plan: PromptPlan,
  messages: readonly ChatMessage[],
  instruction?: string,
): MaybePromise<WrittenPrompt> {
  const allMessages = withSystem(messages, plan.system);
  const added = [plan.toolPrompt, instruction].filter((text) => text !== undefined);
  return added.length > 0 ? writeInstructed(plan, allMessages, added.join('\n\n')) : rewritePrompt(plan, allMessages);
}

async function writeInstructed(
  plan: PromptPlan,
  messages: readonly ChatMessage[],
  text: string,
): Promise<WrittenPrompt> {
  try {
    return await rewritePrompt(plan, instructed(messages, text));
  } catch {
    return rewritePrompt(plan, instructedByUser(messages, text));
  }
}

/** Writes the prompt of messages that have everything that `writePrompt` adds. */
export function rewritePrompt(
  { template, input, tokenizer, toolPrompt }: PromptPlan,
  messages: readonly ChatMessage[],
): MaybePromise<WrittenPrompt> {
  const { tools, documents, addGenerationPrompt, continueFinalMessage, variables } = input;
  const known = toolPrompt === undefined ? messages : messages.map(withoutCalls);
  const templateInput: TemplateInput = {
    messages: known.map(templateMessage),
    tools,
    documents,
    addGenerationPrompt,
    continueFinalMessage,
    variables,
  };
  const written = (text: string): WrittenPrompt => {
    return { prompt: tokenizer ? withoutDoubledBos(text, tokenizer) : text, messages };
  };
  return after(template.renderInline(templateInput) ?? template.renderInThread(templateInput), written);
}

interface RenderOptions extends PromptFacts {
  readonly instruction?: string | undefined;
}

/** The prompt of a conversation, and what in the request has no effect on it. */
export async function renderPrompt(
  request: ChatRequest,
  { instruction, ...facts }: RenderOptions,
): Promise<{ readonly prompt: string; readonly ignored: readonly string[] }> {
  const plan = planPrompt(request, facts);
  const { prompt } = await writePrompt(plan, request.messages, instruction);
  return { prompt, ignored: plan.ignored };
}

/** The conversation, with the operator's system message if it has none. */
function withSystem(messages: readonly ChatMessage[], system: string | undefined): readonly ChatMessage[] {
  if (system === undefined || messages.some(({ role }) => role === 'system' || role === 'developer')) return messages;
  return [{ role: 'system', content: system }, ...messages];
}

/** The request fields for the template that the template never reads. */
function unreadBy(template: ChatTemplate, request: ChatRequest): string[] {
  const {
    chat_template_kwargs: variables,
    documents,
    add_generation_prompt: opening,
    enable_thinking: thinking,
  } = request;
  const unread = Object.keys(variables ?? {}).filter((name) => !template.mentions(name));
  return [
    ...unread.map((name) => `chat_template_kwargs.${name}`),
    ...(typeof thinking === 'boolean' && !template.mentions('enable_thinking') ? ['enable_thinking'] : []),
    ...(documents && !template.mentions('documents') ? ['documents'] : []),
    ...(opening === false && !request.continue_final_message && !template.mentions('add_generation_prompt')
      ? ['add_generation_prompt']
      : []),
  ];
}

/** A message without null fields. A refusal is text of the assistant, so the template gets it as text. */
function templateMessage(message: ChatMessage): TemplateMessage {
  if (typeof message.content === 'string' && !hasEmpty(message)) return message as TemplateMessage;
  const content = message.role === 'assistant' ? (message.content ?? message.refusal) : message.content;
  const parts = Array.isArray(content)
    ? content.map((part) => (part.type === 'refusal' ? { type: 'text', text: part.refusal } : part))
    : content;
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(message)) {
    const known = name === 'content' ? parts : value;
    if (known !== null && known !== undefined) fields[name] = known;
  }
  // The text of a refusal, if the message has no content.
  if (parts !== null && parts !== undefined) fields['content'] = parts;
  return fields as TemplateMessage;
}

function hasEmpty(message: ChatMessage): boolean {
  for (const value of Object.values(message)) if (value === null || value === undefined) return true;
  return false;
}

/** Template inputs that the request has as fields of their own. */
const ownFields = ['messages', 'tools', 'documents', 'add_generation_prompt', 'continue_final_message'];

function templateVariables(request: ChatRequest): Record<string, unknown> {
  const variables = { ...request.chat_template_kwargs };
  const misplaced = ownFields.find((name) => Object.hasOwn(variables, name));
  if (misplaced !== undefined)
    throw new ApiError(
      'invalid_request',
      `chat_template_kwargs.${misplaced}: not allowed. Send ${misplaced} as a field of the request.`,
      {
        param: `chat_template_kwargs.${misplaced}`,
      },
    );
  if (typeof request.enable_thinking === 'boolean') variables['enable_thinking'] ??= request.enable_thinking;
  return variables;
}

/** Fields that say how much the model should reason or write, and the values that mean the default. */
const hintFields = { reasoning_effort: [], verbosity: ['medium'] } as const;

/** The names of the reasoning switch in chat templates. */
const thinkingSwitches = ['enable_thinking', 'thinking'] as const;

/** The hints of a request as input of the template. Those that it never reads are ignored. */
function templateHints(
  request: ChatRequest,
  template: ChatTemplate,
): { readonly variables: Readonly<Record<string, unknown>>; readonly ignored: readonly string[] } {
  const variables: Record<string, unknown> = {};
  const ignored: string[] = [];
  for (const [field, harmless] of Object.entries(hintFields)) {
    const value = request[field as keyof typeof hintFields];
    if (typeof value !== 'string') continue;
    if (template.mentions(field)) variables[field] = value;
    else if (field === 'reasoning_effort' && value === 'none' && hasSwitch(template)) {
      if (!setsThinking(request)) for (const name of thinkingSwitches) variables[name] = false;
    } else if (!(harmless as readonly string[]).includes(value)) ignored.push(field);
  }
  return { variables, ignored };
}

function hasSwitch(template: ChatTemplate): boolean {
  return thinkingSwitches.some((name) => template.mentions(name));
}

function setsThinking({ enable_thinking: thinking, chat_template_kwargs: variables }: ChatRequest): boolean {
  return typeof thinking === 'boolean' || thinkingSwitches.some((name) => Object.hasOwn(variables ?? {}, name));
}

function unreadHint(param: string): ApiError {
  return new ApiError('unsupported_parameter', `${param}: not supported by this model's chat template.`, { param });
}

function noTemplate(model: ServedModel): ApiError {
  return new ApiError(
    'invalid_request',
    `The model ${model.name} has no chat template. Start Conch with --tokenizer ${model.name}=DIR (a folder with ` +
      `tokenizer_config.json), --chat-template ${model.name}=FILE or --history-template, or use /v1/completions.`,
    { param: 'messages' },
  );
}
