import { ApiError } from '../../errors.ts';
import type { ChatMessage } from '../../requests/chat-request.ts';
import { type Message, unknownFields } from './messages.ts';

/** A tool call of the assistant without a result so far. */
interface OpenCall {
  readonly id: string;
  readonly name: string;
}

export interface Conversation {
  /** One for each message of the request. */
  readonly messages: ChatMessage[];
  /** Whether the response continues the last message. */
  readonly isContinued: boolean;
  /** Ignored fields. */
  readonly ignored: string[];
}

/** Translates the messages of an Ollama chat. */
export function conversationOf(input: readonly Message[]): Conversation {
  const open: OpenCall[] = [];
  let idCount = 0;
  const ignored: string[] = [];
  const messages = input.map((message, at): ChatMessage => {
    const path = `messages[${at}]`;
    for (const name of unknownFields(message)) ignored.push(`${path}.${name}`);
    const { role, content, images } = message;
    if (images?.length && (role === 'system' || role === 'assistant'))
      throw invalid(`${path}.images`, 'images are only supported in user and tool messages.');
    if (role === 'system') return { role, content: content ?? '' };
    if (role === 'user') return { role, content: contentOf(content, images) };
    if (role === 'assistant') {
      const calls = (message.tool_calls ?? []).map((call) => ({
        // A length that all model families accept, and the same id each time the conversation is sent.
        id: call.id || `call${String(idCount++).padStart(5, '0')}`,
        type: 'function' as const,
        function: { name: call.function.name, arguments: JSON.stringify(call.function.arguments ?? {}) },
      }));
      for (const { id, function: called } of calls) open.push({ id, name: called.name });
      return {
        role,
        content: calls.length > 0 && !content ? null : (content ?? ''),
        ...(message.thinking ? { reasoning_content: message.thinking } : {}),
        ...(calls.length > 0 ? { tool_calls: calls } : {}),
      };
    }
    return resultOf(message, open);
  });
  const last = input.at(-1);
  const isContinued = last?.role === 'assistant' && Boolean(last.content) && !last.tool_calls?.length;
  return { messages, isContinued, ignored };
}

/** Images come before the text, as in Ollama. */
export function contentOf(
  text: string | null | undefined,
  images: readonly string[] | null | undefined,
): Extract<ChatMessage, { role: 'user' }>['content'] {
  if (!images?.length) return text ?? '';
  // The media type does not matter: it is detected from the bytes.
  const imageParts = images.map((data) => ({ type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } }));
  return text ? [...imageParts, { type: 'text', text }] : imageParts;
}

/**
 * A tool result with the id of its call. A result may have only a tool name, or nothing: the first open call fits. Like
 * Ollama, Conch accepts a result without a call: LiteLLM leaves the calls out of its messages.
 */
function resultOf(message: Message, open: OpenCall[]): ChatMessage {
  const id = message.tool_call_id || undefined;
  const name = message.tool_name || undefined;
  const isMatch = (call: OpenCall): boolean =>
    id === undefined ? name === undefined || call.name === name : call.id === id;
  const at = open.findIndex(isMatch);
  const [call] = at < 0 ? [] : open.splice(at, 1);
  const callId = call?.id ?? id;
  const content = contentOf(message.content, message.images);
  const more = name === undefined ? {} : { name };
  if (callId === undefined) return { role: 'tool', content, ...more };
  return { role: 'tool', tool_call_id: callId, content, ...more };
}

function invalid(param: string, message: string): ApiError {
  return new ApiError('invalid_request', `${param}: ${message}`, { param });
}
