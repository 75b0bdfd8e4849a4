import { ApiError } from '../../errors.ts';
import type { ChatRequest } from '../../requests/chat-request.ts';
import type { CompletionRequest } from '../../requests/completion-request.ts';
import { contentOf, conversationOf } from './conversation.ts';
import { samplingOf } from './options.ts';
import type { OllamaChatRequest, OllamaGenerateRequest } from './requests.ts';
import { withoutEffect } from './without-effect.ts';

/** Where the parts of the chat came from, for the names of faults. */
export interface Origin {
  /** What all messages together came from. */
  readonly prompt: 'messages' | 'prompt';
  /** Where a part of a message stands in the request, by the number of the message and the path within it. */
  placeOf(message: number, path: string): string;
}

/** A request as the chat, or the completion, that says the same. */
export type Translated = {
  /** Parts of the request without effect. */
  readonly ignored: readonly string[];
  readonly origin: Origin;
} & (
  | { readonly kind: 'chat'; readonly request: ChatRequest }
  | { readonly kind: 'completion'; readonly request: CompletionRequest }
);

/** The chat that says what a request to /api/chat says. */
export function chatOf(request: OllamaChatRequest): Translated {
  const given = request.messages ?? [];
  const { messages, isContinued, ignored } = conversationOf(given);
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
      placeOf: (at, path) => {
        const image = imageAt(path, given[at]?.images);
        return `messages[${at}]${image ?? path.replace(/^\.content.*$/, '.content')}`;
      },
    },
  };
}

/** The chat that says what a request to /api/generate says; for a raw prompt, the completion. */
export function generationOf(request: OllamaGenerateRequest): Translated {
  const { prompt, system, images } = request;
  const ignored = unused(request);
  if (request.raw) {
    if (system) throw besideRaw('system');
    if (images?.length) throw besideRaw('images');
    return {
      kind: 'completion',
      request: completionFields(request, prompt ?? ''),
      ignored: [...(isGiven(request.think) ? ['think'] : []), ...ignored],
      origin: { prompt: 'prompt', placeOf: () => 'prompt' },
    };
  }
  const opening = system ? [{ role: 'system' as const, content: system }] : [];
  return {
    kind: 'chat',
    request: { ...chatFields(request), messages: [...opening, { role: 'user', content: contentOf(prompt, images) }] },
    ignored,
    origin: {
      prompt: 'prompt',
      placeOf: (at, path) => (at < opening.length ? 'system' : (imageAt(path, images)?.slice(1) ?? 'prompt')),
    },
  };
}

function besideRaw(param: string): ApiError {
  const message = `${param}: a raw prompt is sent as it is, with nothing beside it; leave raw out.`;
  return new ApiError('unsupported_parameter', message, { param });
}

type AnswerRequest = OllamaChatRequest | OllamaGenerateRequest;

function chatFields(request: AnswerRequest): Omit<ChatRequest, 'messages'> {
  const variables = templateVariables(request);
  return {
    ...sharedFields(request),
    ...(request.logprobs ? { logprobs: true, top_logprobs: request.top_logprobs } : {}),
    ...(variables ? { chat_template_kwargs: variables } : {}),
  };
}

function completionFields(request: AnswerRequest, prompt: string): CompletionRequest {
  return {
    ...sharedFields(request),
    prompt,
    ...(request.logprobs ? { logprobs: request.top_logprobs ?? 0 } : {}),
  };
}

/** Ollama streams unless it is told not to. */
function sharedFields({ model, stream, options, format }: AnswerRequest) {
  return {
    model,
    stream: stream ?? true,
    ...samplingOf(options),
    ...(format ? { response_format: formOf(format) } : {}),
  };
}

function formOf(format: NonNullable<AnswerRequest['format']>): NonNullable<ChatRequest['response_format']> {
  if (typeof format === 'string') return { type: 'json_object' };
  return { type: 'json_schema', json_schema: { name: 'answer', schema: format, strict: true } };
}

/** What is said to the chat template. Templates have one of two names for thinking; `ignoredFields` knows of that. */
function templateVariables({ think }: AnswerRequest): Record<string, unknown> | undefined {
  if (!isGiven(think)) return undefined;
  const isOn = think !== false;
  return {
    enable_thinking: isOn,
    thinking: isOn,
    ...(typeof think === 'string' ? { reasoning_effort: think } : {}),
  };
}

/** Fields that no chat can carry. */
function unused(request: AnswerRequest): string[] {
  return [...withoutEffect(request), ...(request.top_logprobs && !request.logprobs ? ['top_logprobs'] : [])];
}

function isGiven<Value>(value: Value): value is NonNullable<Value> {
  return value !== null && value !== undefined;
}

/** Which image a part of a message is: the images come before the text. */
function imageAt(path: string, images: readonly string[] | null | undefined): string | undefined {
  const [, part] = /^\.content\[(\d+)]/.exec(path) ?? [];
  return part !== undefined && Number(part) < (images?.length ?? 0) ? `.images[${part}]` : undefined;
}
