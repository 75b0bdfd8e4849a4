import type { ChatRequest } from '../../requests/chat-request.ts';
import { conversationOf, type MessagePaths } from './conversation.ts';
import type { GenerationConfig } from './generation-config.ts';
import type { GenerateContentRequest } from './requests.ts';
import { formatOf } from './response-format.ts';
import { declarationsOf, functionTool, isValidated, toolChoice } from './tool-choice.ts';

/** A request, translated to a chat request. */
export interface GeminiTranslation {
  readonly chat: ChatRequest;
  /** The paths of results that were sent twice. `parseRequest` reports other fields without an effect. */
  readonly ignored: readonly string[];
  /** Used to rename the fields of errors. */
  readonly origin: Origin;
  /** Whether the response has the thoughts of the model. */
  readonly includesThoughts: boolean;
}

/** The paths in the original request of the parts of a chat request. */
export interface Origin {
  /** One for each message of the chat. */
  readonly paths: readonly MessagePaths[];
  /** One for each tool of the chat: the path of its declaration, and the name of its parameters. */
  readonly tools: readonly { readonly path: string; readonly parameters: string }[];
  readonly formatField: string;
}

/** Translates a request of this API to a chat request. */
export function toChat(request: GenerateContentRequest, isStreamed: boolean): GeminiTranslation {
  const {
    generationConfig: config = {},
    systemInstruction,
    toolConfig: { functionCallingConfig: calling } = {},
  } = request;
  const { messages, paths, isContinued, ignored } = conversationOf(request.contents, systemInstruction);
  const declarations = declarationsOf(request.tools);
  const format = formatOf(config);
  const choice = toolChoice(calling);
  const tools = declarations.map(({ declaration }) => functionTool(declaration, isValidated(calling)));
  const variables = templateVariables(config);
  const chat: ChatRequest = {
    model: request.model,
    messages,
    stream: isStreamed,
    ...samplingOf(config),
    ...logprobsOf(config),
    ...(isContinued ? { continue_final_message: true } : {}),
    ...(tools.length > 0 ? { tools } : {}),
    ...(choice === undefined ? {} : { tool_choice: choice }),
    ...format.fields,
    ...(Object.keys(variables).length > 0 ? { chat_template_kwargs: variables } : {}),
  };
  return {
    chat,
    ignored,
    origin: {
      paths,
      tools: declarations.map(({ path, declaration }) => ({
        path,
        parameters: declaration.parametersJsonSchema ? 'parametersJsonSchema' : 'parameters',
      })),
      formatField: format.field,
    },
    includesThoughts: config.thinkingConfig?.includeThoughts ?? false,
  };
}

/** The fields of a chat request, by their names in `generationConfig`. */
export const samplingNames = {
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  maxOutputTokens: 'max_tokens',
  stopSequences: 'stop',
  candidateCount: 'n',
  seed: 'seed',
  presencePenalty: 'presence_penalty',
  frequencyPenalty: 'frequency_penalty',
} as const satisfies Partial<Record<keyof GenerationConfig, keyof ChatRequest>>;

function samplingOf(config: GenerationConfig): Partial<ChatRequest> {
  return Object.fromEntries(
    Object.entries(samplingNames).flatMap(([name, field]) => {
      const value = config[name as keyof typeof samplingNames];
      return value === undefined || value === null ? [] : [[field, value]];
    }),
  );
}

function logprobsOf({ responseLogprobs, logprobs }: GenerationConfig): Partial<ChatRequest> {
  return responseLogprobs ? { logprobs: true, top_logprobs: logprobs ?? 0 } : {};
}

/** The `chat_template_kwargs`. Templates have one of two names for thinking, which `renameIgnored` considers. */
function templateVariables({ thinkingConfig: thinking }: GenerationConfig): Record<string, unknown> {
  const { thinkingBudget: budget = -1, thinkingLevel: level } = thinking ?? {};
  const effort = level && efforts[level];
  return {
    // A budget of -1 leaves it to the model.
    ...(budget >= 0 ? { enable_thinking: budget > 0, thinking: budget > 0 } : {}),
    ...(effort ? { reasoning_effort: effort } : {}),
  };
}

/** Templates know three effort levels. */
const efforts = {
  MINIMAL: 'low',
  LOW: 'low',
  MEDIUM: 'medium',
  HIGH: 'high',
  THINKING_LEVEL_UNSPECIFIED: undefined,
} as const;
