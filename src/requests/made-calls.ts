import type { ToolCallDelta } from '../contracts/events.ts';

/** A call of an answer, put together from its parts. */
export interface MadeCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

type Growing<Call> = { -readonly [Key in keyof Call]: Call[Key] };

/** Adds a part of a call to the calls of its answer. */
export function addCall(calls: Growing<MadeCall>[], { index, id, name, arguments: fragment }: ToolCallDelta): void {
  if (id !== undefined && name !== undefined) calls[index] = { id, name, arguments: '' };
  const call = calls[index];
  if (call) call.arguments += fragment;
}

/** A call as chat writes it. */
export function wireCall({ id, name, arguments: json }: MadeCall) {
  return { id, type: 'function', function: { name, arguments: json } } as const;
}
