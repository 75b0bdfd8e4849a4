import type { ToolCallDelta } from '../contracts/events.ts';

/** A complete tool call of a response. */
export interface MadeCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

type Mutable<Call> = { -readonly [Key in keyof Call]: Call[Key] };

/** Adds a delta of a tool call to the tool calls of its response. */
export function addCall(calls: Mutable<MadeCall>[], { index, id, name, arguments: fragment }: ToolCallDelta): void {
  if (id !== undefined && name !== undefined) calls[index] = { id, name, arguments: '' };
  const call = calls[index];
  if (call) call.arguments += fragment;
}

/** A tool call as the chat API writes it. */
export function wireCall({ id, name, arguments: json }: MadeCall) {
  return { id, type: 'function', function: { name, arguments: json } } as const;
}
