import type { ChatSettings, Turn } from './conversation.ts';
import { fieldValues } from './fields.ts';

/** A message of the API. */
export type Message = Readonly<Record<string, unknown>>;

/** The body of a request to /v1/chat/completions. */
export interface ChatRequest extends Readonly<Record<string, unknown>> {
  readonly model: string;
  readonly messages: readonly Message[];
}

/** Builds the request from turns and settings. Throws a FieldError if a field is invalid. */
export function chatRequest({ model, system, fields }: ChatSettings, turns: readonly Turn[]): ChatRequest {
  return {
    model,
    messages: [...(system.trim() === '' ? [] : [{ role: 'system', content: system }]), ...turns.flatMap(messagesOf)],
    ...fieldValues(fields),
    stream: true,
    stream_options: { include_usage: true },
  };
}

function messagesOf(turn: Turn): readonly Message[] {
  if (turn.role === 'user') return [{ role: 'user', content: turn.text }];
  const { text, calls } = turn;
  if (calls.length === 0) return text === '' ? [] : [{ role: 'assistant', content: text }];
  return [
    {
      role: 'assistant',
      content: text === '' ? null : text,
      tool_calls: calls.map(({ id, name, arguments: argumentText }) => ({
        id,
        type: 'function',
        function: { name, arguments: argumentText },
      })),
    },
    ...calls.map(({ id, result = '' }) => ({ role: 'tool', tool_call_id: id, content: result })),
  ];
}
