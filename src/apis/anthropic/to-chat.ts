import { ApiError } from '../../errors.ts';
import type { ChatRequest } from '../../requests/chat-request.ts';
import { conversationOf, type MessagePaths } from './conversation.ts';
import type { CountTokensRequest, MessagesRequest } from './messages-request.ts';
import { chatTool, functionsOf } from './tools.ts';

/** A request, translated to a chat request. */
export interface MessagesTranslation {
  readonly chat: ChatRequest;
  /** Fields that a chat request cannot express. */
  readonly ignored: readonly string[];
  /** Used to rename the fields of errors. */
  readonly origin: Origin;
  /** Whether the response has its thinking only in signatures. */
  readonly omitsThinking: boolean;
}

/** The paths in the original request of the parts of a chat request. */
export interface Origin {
  /** One for each message of the chat. */
  readonly paths: readonly MessagePaths[];
  /** One for each tool of the chat. */
  readonly toolPaths: readonly string[];
  readonly formatField: 'output_config.format' | 'output_format';
}

/** Translates a request of this API to a chat request. */
export function toChat(request: MessagesRequest | CountTokensRequest): MessagesTranslation {
  const { located: functions, isDeferred } = functionsOf(request);
  const { messages, paths, isContinued, ignored } = conversationOf(request, functions);
  const { tools, thinking } = request;
  // Without its tools, a choice among them is meaningless.
  const choice = tools?.length && functions.length === 0 ? undefined : request.tool_choice;
  const { format, field: formatField } = formatOf(request);
  const variables = templateVariables(request);
  const unused = [
    ...ignored,
    ...(thinking?.type === 'enabled' ? ['thinking.budget_tokens'] : []),
    ...functions.flatMap(({ tool, path }) =>
      tool.defer_loading && !isDeferred(tool) ? [`${path}.defer_loading`] : [],
    ),
    ...functions.flatMap(({ tool, path }) => (tool.input_examples?.length ? [`${path}.input_examples`] : [])),
  ];
  const deferred = functions.flatMap(({ tool }) => (isDeferred(tool) ? [tool.name] : []));
  const chat: ChatRequest = {
    model: request.model,
    messages,
    ...('max_tokens' in request ? samplingOf(request) : {}),
    ...(isContinued ? { continue_final_message: true } : {}),
    ...(functions.length > 0 ? { tools: functions.map(({ tool }) => chatTool(tool)) } : {}),
    ...(deferred.length > 0 ? { deferredTools: new Set(deferred) } : {}),
    ...(choice ? { tool_choice: toolChoice(choice) } : {}),
    ...(choice && choice.type !== 'none' && choice.disable_parallel_tool_use ? { parallel_tool_calls: false } : {}),
    ...(format ? { response_format: responseFormat(format.schema) } : {}),
    ...(Object.keys(variables).length > 0 ? { chat_template_kwargs: variables } : {}),
  };
  const origin = { paths, toolPaths: functions.map(({ path }) => path), formatField };
  return { chat, ignored: unused, origin, omitsThinking: isOmitted(thinking) };
}

function isOmitted(thinking: CountTokensRequest['thinking']): boolean {
  return thinking?.type !== 'disabled' && thinking?.display === 'omitted';
}

function samplingOf(request: MessagesRequest): Partial<ChatRequest> {
  const { max_tokens, stream, temperature, top_p, top_k, stop_sequences: stop, metadata } = request;
  const fields = { max_tokens, stream, temperature, top_p, top_k, stop, user: metadata?.user_id };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
}

function toolChoice(choice: NonNullable<MessagesRequest['tool_choice']>): NonNullable<ChatRequest['tool_choice']> {
  switch (choice.type) {
    case 'auto':
    case 'none':
      return choice.type;
    case 'any':
      return 'required';
    case 'tool':
      return { type: 'function', function: { name: choice.name } };
  }
}

/** The output format is in one of two fields. The older one is from a beta. */
function formatOf({ output_config: config, output_format: older }: CountTokensRequest) {
  if (config?.format && older)
    throw new ApiError(
      'invalid_request',
      'output_format: cannot be combined with output_config.format. Send only one of them.',
      {
        param: 'output_format',
      },
    );
  return config?.format
    ? ({ format: config.format, field: 'output_config.format' } as const)
    : ({ format: older, field: older ? 'output_format' : 'output_config.format' } as const);
}

function responseFormat(schema: Record<string, unknown>): NonNullable<ChatRequest['response_format']> {
  return { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } };
}

/** The `chat_template_kwargs`. Templates have one of two names for thinking, which `renameIgnored` considers. */
function templateVariables({ thinking, output_config: config }: CountTokensRequest): Record<string, unknown> {
  const variables: Record<string, unknown> = {};
  if (thinking && thinking.type !== 'adaptive') {
    variables['enable_thinking'] = thinking.type === 'enabled';
    variables['thinking'] = thinking.type === 'enabled';
  }
  if (config?.effort) variables['reasoning_effort'] = efforts[config.effort];
  return variables;
}

/** Templates know three effort levels. */
const efforts = { low: 'low', medium: 'medium', high: 'high', xhigh: 'high', max: 'high' } as const;
