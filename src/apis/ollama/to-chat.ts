import { ApiError } from '../../errors.ts';
import type { ChatRequest } from '../../requests/chat-request.ts';
import type { CompletionRequest } from '../../requests/completion-request.ts';
import { contentOf, conversationOf } from './conversation.ts';
import { samplingOf } from './options.ts';
import type { OllamaChatRequest, OllamaGenerateRequest } from './requests.ts';
import { unusedFields } from './unused-fields.ts';

/** Maps the parts of a chat back to Ollama's fields, for the names in errors. */
export interface Origin {
  /** The field that the messages came from. */
  readonly prompt: 'messages' | 'prompt';
  /** The path in Ollama's request, from the index of a message and a path within it. */
  pathOf(message: number, path: string): string;
}

/** A request translated to a chat or completion request. */
export type OllamaTranslation = {
  /** Ignored fields. */
  readonly ignored: readonly string[];
  readonly origin: Origin;
} & (
  | { readonly kind: 'chat'; readonly request: ChatRequest }
  | { readonly kind: 'completion'; readonly request: CompletionRequest }
);

/** Translates a request to /api/chat. */
export function chatOf(request: OllamaChatRequest): OllamaTranslation {
  const input = request.messages ?? [];
  const { messages, isContinued, ignored } = conversationOf(input);
  return {
    kind: 'chat',
    request: {
      ...chatFields(request),
      messages,
      ...(isContinued ? { continue_final_message: true } : {}),
      ...(request.tools?.length ? { tools: request.tools } : {}),
    },
    ignored: [...ignored, ...unused(request)],
    origin: {
      prompt: 'messages',
      pathOf: (at, path) => {
        const image = imageAt(path, input[at]?.images);
        return `messages[${at}]${image ?? path.replace(/^\.content.*$/, '.content')}`;
      },
    },
  };
}

/** Translates a request to /api/generate: to a chat, or to a completion for a raw prompt. */
export function generationOf(request: OllamaGenerateRequest): OllamaTranslation {
  const { prompt, system, images } = request;
  const ignored = unused(request);
  if (request.raw) {
    if (system) throw notWithRaw('system');
    if (images?.length) throw notWithRaw('images');
    return {
      kind: 'completion',
      request: completionFields(request, prompt ?? ''),
      ignored: [...(isPresent(request.think) ? ['think'] : []), ...ignored],
      origin: { prompt: 'prompt', pathOf: () => 'prompt' },
    };
  }
  const systemMessages = system ? [{ role: 'system' as const, content: system }] : [];
  return {
    kind: 'chat',
    request: {
      ...chatFields(request),
      messages: [...systemMessages, { role: 'user', content: contentOf(prompt, images) }],
    },
    ignored,
    origin: {
      prompt: 'prompt',
      pathOf: (at, path) => (at < systemMessages.length ? 'system' : (imageAt(path, images)?.slice(1) ?? 'prompt')),
    },
  };
}

function notWithRaw(param: string): ApiError {
  const message = `${param}: not supported with raw, which sends the prompt unchanged. Leave one of them out.`;
  return new ApiError('unsupported_parameter', message, { param });
}

type OllamaRequest = OllamaChatRequest | OllamaGenerateRequest;

function chatFields(request: OllamaRequest): Omit<ChatRequest, 'messages'> {
  const variables = templateVariables(request);
  return {
    ...sharedFields(request),
    ...(request.logprobs ? { logprobs: true, top_logprobs: request.top_logprobs } : {}),
    ...(variables ? { chat_template_kwargs: variables } : {}),
  };
}

function completionFields(request: OllamaRequest, prompt: string): CompletionRequest {
  return {
    ...sharedFields(request),
    prompt,
    ...(request.logprobs ? { logprobs: request.top_logprobs ?? 0 } : {}),
  };
}

/** Ollama streams by default. */
function sharedFields({ model, stream, options, format }: OllamaRequest) {
  return {
    model,
    stream: stream ?? true,
    ...samplingOf(options),
    ...(format ? { response_format: responseFormatOf(format) } : {}),
  };
}

function responseFormatOf(format: NonNullable<OllamaRequest['format']>): NonNullable<ChatRequest['response_format']> {
  if (typeof format === 'string') return { type: 'json_object' };
  return { type: 'json_schema', json_schema: { name: 'answer', schema: format, strict: true } };
}

/** Arguments of the chat template. Templates use one of two names for thinking; `ignoredFields` handles that. */
function templateVariables({ think }: OllamaRequest): Record<string, unknown> | undefined {
  if (!isPresent(think)) return undefined;
  const isOn = think !== false;
  return {
    enable_thinking: isOn,
    thinking: isOn,
    ...(typeof think === 'string' ? { reasoning_effort: think } : {}),
  };
}

/** Fields that a chat request does not have. */
function unused(request: OllamaRequest): string[] {
  return [...unusedFields(request), ...(request.top_logprobs && !request.logprobs ? ['top_logprobs'] : [])];
}

function isPresent<Value>(value: Value): value is NonNullable<Value> {
  return value !== null && value !== undefined;
}

/** The path of the image that a content part came from. Images come before the text. */
function imageAt(path: string, images: readonly string[] | null | undefined): string | undefined {
  const [, part] = /^\.content\[(\d+)]/.exec(path) ?? [];
  return part !== undefined && Number(part) < (images?.length ?? 0) ? `.images[${part}]` : undefined;
}
