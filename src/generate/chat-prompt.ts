import { ApiError } from '../errors.ts';
import type { ServedModel } from '../models/served-model.ts';
import type { ChatTemplate, TemplateMessage } from '../prompt/chat-template.ts';
import { withoutDoubledBos } from '../prompt/token-prompt.ts';
import type { ChatMessage, ChatRequest } from '../requests/chat-request.ts';
import type { ToolUse } from '../requests/tools.ts';
import { formatsOf, refuseTools } from './parsers.ts';
import type { Emulation } from './structured-emulation.ts';
import { instructed, instructedByUser } from './structured-prompt.ts';

interface RenderOptions {
  readonly model: ServedModel;
  readonly use: ToolUse | undefined;
  /** Told to the model in a message of its own, or in one that is there. */
  readonly emulation?: Emulation | undefined;
}

interface Rendered {
  readonly prompt: string;
  readonly template: ChatTemplate;
  /** What the template never reads. */
  readonly ignored: string[];
  /** What was rendered. */
  readonly messages: readonly ChatMessage[];
}

/** The prompt of a conversation, by the model's chat template. */
export async function renderPrompt(request: ChatRequest, { model, use, emulation }: RenderOptions): Promise<Rendered> {
  const { template, tokenizer } = await model.assets();
  if (!template) throw noTemplate(model);
  if (use) refuseTools(model, template, formatsOf(model, template), use);
  const continues = request.continue_final_message ?? false;
  const addGenerationPrompt = request.add_generation_prompt ?? !continues;
  if (continues && addGenerationPrompt)
    throw new ApiError('invalid_request', 'continue_final_message: not together with add_generation_prompt.', {
      param: 'continue_final_message',
    });
  const variables = { ...model.defaults.chat_template_kwargs, ...templateVariables(request, template) };
  const given = withSystem(request.messages, model);
  const render = async (messages: readonly ChatMessage[]): Promise<Rendered> => {
    const text = await template.render({
      messages: messages.map(templateMessage),
      tools: use?.tools,
      documents: request.documents ?? undefined,
      addGenerationPrompt,
      continueFinalMessage: continues,
      variables,
    });
    const prompt = model.addsSpecialTokens && tokenizer ? withoutDoubledBos(text, tokenizer) : text;
    return { prompt, template, ignored: unreadBy(template, request), messages };
  };
  if (!emulation) return render(given);
  const inSystem = await render(instructed(given, emulation)).catch(() => undefined);
  return inSystem ?? render(instructedByUser(given, emulation));
}

/** The conversation with the system message that the operator has set, where it brings none. */
function withSystem(messages: readonly ChatMessage[], { system }: ServedModel): readonly ChatMessage[] {
  if (system === undefined || messages.some(({ role }) => role === 'system' || role === 'developer')) return messages;
  return [{ role: 'system', content: system }, ...messages];
}

/** What the request says to the template and the template never reads. */
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

/** A message without what is null; a refusal is what the assistant said, so it is text to the template. */
function templateMessage(message: ChatMessage): TemplateMessage {
  const content = message.role === 'assistant' ? (message.content ?? message.refusal) : message.content;
  const parts = Array.isArray(content)
    ? content.map((part) => (part.type === 'refusal' ? { type: 'text', text: part.refusal } : part))
    : content;
  const given: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(message)) {
    const known = name === 'content' ? parts : value;
    if (known !== null && known !== undefined) given[name] = known;
  }
  // The text of a refusal, where the message has no content of its own.
  if (parts !== null && parts !== undefined) given['content'] = parts;
  return given as TemplateMessage;
}

/** Variables of every template that have a field of their own in the request. */
const ownFields = ['messages', 'tools', 'documents', 'add_generation_prompt', 'continue_final_message'];

function templateVariables(request: ChatRequest, template: ChatTemplate): Record<string, unknown> {
  const variables = { ...request.chat_template_kwargs };
  const misplaced = ownFields.find((name) => Object.hasOwn(variables, name));
  if (misplaced !== undefined)
    throw new ApiError('invalid_request', `chat_template_kwargs.${misplaced}: send it as a field of the request.`, {
      param: `chat_template_kwargs.${misplaced}`,
    });
  if (typeof request.enable_thinking === 'boolean') variables['enable_thinking'] ??= request.enable_thinking;
  if (typeof request.reasoning_effort !== 'string') return variables;
  if (!template.mentions('reasoning_effort'))
    throw new ApiError('unsupported_parameter', "reasoning_effort: this model's chat template has no such dial.", {
      param: 'reasoning_effort',
    });
  return { ...variables, reasoning_effort: request.reasoning_effort };
}

function noTemplate(model: ServedModel): ApiError {
  return new ApiError(
    'invalid_request',
    `The model ${model.name} has no chat template. Start Conch with --tokenizer ${model.name}=DIR (a folder with ` +
      `tokenizer_config.json), --chat-template ${model.name}=FILE or --history-template, or use /v1/completions.`,
    { param: 'messages' },
  );
}
