import { ApiError } from '../../../errors.ts';
import type { ChatRequest } from '../../../requests/chat-request.ts';
import type { ConversationItem } from './conversation.ts';
import { MessageBuilder } from './messages.ts';
import type { RequestOrigins } from './rename-error.ts';
import { chatFields, type ResponsesRequest, renamedFields } from './responses-request.ts';
import type { ToolName } from './tool-fields.ts';
import type { Toolset } from './toolset.ts';

/** A request for a response, translated to a chat request. */
export interface ChatTranslation {
  readonly request: ChatRequest;
  readonly origins: RequestOrigins;
}

/** Translates a request to a chat request: the instructions, then the items of the conversation. */
export function toChat(
  request: ResponsesRequest,
  { items, tools }: { readonly items: readonly ConversationItem[]; readonly tools: Toolset },
): ChatTranslation {
  const { messages, origins } = messagesOf(request, items);
  const { format, verbosity } = request.text ?? {};
  return {
    request: {
      ...passedFields(request),
      model: request.model,
      messages,
      max_completion_tokens: request.max_output_tokens,
      reasoning_effort: request.reasoning?.effort,
      ...(verbosity ? { verbosity } : {}),
      response_format: format && chatFormat(format),
      ...(tools.size > 0 ? { tools: tools.chatTools } : {}),
      tool_choice: chatChoice(request.tool_choice, tools),
      parallel_tool_calls: request.parallel_tool_calls,
      ...(wantsLogprobs(request) ? { logprobs: true, top_logprobs: request.top_logprobs } : {}),
      metadata: request.metadata,
      service_tier: request.service_tier,
    },
    origins: { messages: origins, tools: tools.paths },
  };
}

/** Whether the request includes logprobs. `top_logprobs` implies them: alternatives are useless without them. */
export function wantsLogprobs({ include, top_logprobs: top }: ResponsesRequest): boolean {
  return (include?.includes('message.output_text.logprobs') ?? false) || (top ?? 0) > 0;
}

function messagesOf({ instructions }: ResponsesRequest, items: readonly ConversationItem[]): MessageBuilder {
  const builder = new MessageBuilder();
  if (typeof instructions === 'string')
    builder.add({ item: { type: 'message', role: 'system', content: instructions }, path: 'instructions' });
  for (const item of items) builder.add(item);
  builder.end();
  if (builder.messages.length === 0)
    throw new ApiError('invalid_request', 'input: must have at least 1 item with content.', {
      param: 'input',
    });
  return builder;
}

const passedNames = Object.keys(chatFields).filter((name) => !Object.hasOwn(renamedFields, name));

/** The fields that a chat request has too, unchanged. */
function passedFields(request: ResponsesRequest): Partial<ChatRequest> {
  const fields = request as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    passedNames.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]]),
  );
}

type Format = NonNullable<NonNullable<ResponsesRequest['text']>['format']>;

function chatFormat(format: Format): ChatRequest['response_format'] {
  if (format.type !== 'json_schema') return format;
  const { type, ...json_schema } = format;
  return { type, json_schema };
}

function chatChoice(choice: ResponsesRequest['tool_choice'], tools: Toolset): ChatRequest['tool_choice'] {
  if (choice === 'required') tools.requireTools();
  if (typeof choice !== 'object' || choice === null) return choice;
  if (choice.type !== 'allowed_tools') return namedFunction(tools.nameOf(choice, 'tool_choice'));
  const { mode, tools: listed } = choice;
  const allowed = listed.flatMap((tool, at) =>
    isNamed(tool) ? [namedFunction(tools.nameOf(tool, `tool_choice.tools[${at}]`))] : [],
  );
  if (allowed.length > 0) return { type: 'allowed_tools', allowed_tools: { mode, tools: allowed } };
  if (mode === 'auto') return 'none';
  const message = 'tool_choice.tools: a call cannot be required, because none of these tools is supported.';
  throw new ApiError('unsupported_parameter', message, { param: 'tool_choice.tools' });
}

function isNamed(tool: { readonly type: string }): tool is ToolName {
  return tool.type === 'function' || tool.type === 'custom';
}

function namedFunction(name: string) {
  return { type: 'function' as const, function: { name } };
}
