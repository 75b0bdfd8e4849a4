import { ApiError } from '../../../errors.ts';
import type { ChatRequest } from '../../../requests/chat-request.ts';
import type { PlacedItem } from './conversation.ts';
import { MessageBuilder, type MessageOrigin } from './messages.ts';
import { chatFields, type ResponsesRequest, renamedFields } from './responses-request.ts';

/** A chat that says the same as a request for a response. */
export interface ChatTranslation {
  readonly request: ChatRequest;
  /** Where each message comes from, for `renameFault`. */
  readonly origins: readonly MessageOrigin[];
}

/** The chat that asks for a response: the instructions, then the items of the conversation. */
export function toChat(request: ResponsesRequest, items: readonly PlacedItem[]): ChatTranslation {
  const { messages, origins } = messagesOf(request, items);
  const { format } = request.text ?? {};
  return {
    request: {
      ...passedOn(request),
      model: request.model,
      messages,
      max_completion_tokens: request.max_output_tokens,
      reasoning_effort: request.reasoning?.effort,
      response_format: format && chatFormat(format),
      tools: request.tools?.map(({ name, description, parameters, strict }) => ({
        type: 'function',
        function: {
          name,
          ...(typeof description === 'string' ? { description } : {}),
          ...(parameters ? { parameters } : {}),
          ...(typeof strict === 'boolean' ? { strict } : {}),
        },
      })),
      tool_choice: chatChoice(request.tool_choice),
      parallel_tool_calls: request.parallel_tool_calls,
      ...(wantsLogprobs(request) ? { logprobs: true, top_logprobs: request.top_logprobs } : {}),
      metadata: request.metadata,
      service_tier: request.service_tier,
    },
    origins,
  };
}

/** Whether the answer's tokens are wanted with their logprobs: alternatives to them are no use alone. */
export function wantsLogprobs({ include, top_logprobs: top }: ResponsesRequest): boolean {
  return (include?.includes('message.output_text.logprobs') ?? false) || (top ?? 0) > 0;
}

function messagesOf({ instructions }: ResponsesRequest, items: readonly PlacedItem[]): MessageBuilder {
  const builder = new MessageBuilder();
  if (typeof instructions === 'string')
    builder.add({ item: { type: 'message', role: 'system', content: instructions }, place: 'instructions' });
  for (const item of items) builder.add(item);
  builder.end();
  if (builder.messages.length === 0)
    throw new ApiError('invalid_request', 'input: must hold at least one item that says something.', {
      param: 'input',
    });
  return builder;
}

const passedNames = Object.keys(chatFields).filter((name) => !Object.hasOwn(renamedFields, name));

/** The fields that a chat has too, as they are. */
function passedOn(request: ResponsesRequest): Partial<ChatRequest> {
  const given = request as Readonly<Record<string, unknown>>;
  return Object.fromEntries(passedNames.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]));
}

type Format = NonNullable<NonNullable<ResponsesRequest['text']>['format']>;

function chatFormat(format: Format): ChatRequest['response_format'] {
  if (format.type !== 'json_schema') return format;
  const { type, ...json_schema } = format;
  return { type, json_schema };
}

function chatChoice(choice: ResponsesRequest['tool_choice']): ChatRequest['tool_choice'] {
  if (typeof choice !== 'object' || choice === null) return choice;
  if (choice.type === 'function') return { type: 'function', function: { name: choice.name } };
  const tools = choice.tools.map(({ name }) => ({ type: 'function' as const, function: { name } }));
  return { type: 'allowed_tools', allowed_tools: { mode: choice.mode, tools } };
}
