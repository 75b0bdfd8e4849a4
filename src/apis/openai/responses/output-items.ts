import type { TokenLogprob } from '../../../contracts/contract.ts';
import { chatLogprobs, type TokenText } from '../../../http/logprobs.ts';

type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

/** A token's logprob in a finished text; the events of a stream leave the bytes out. */
export interface TextLogprob {
  readonly token: string;
  readonly bytes: readonly number[];
  readonly logprob: number;
  readonly top_logprobs: readonly Omit<TextLogprob, 'top_logprobs'>[];
}

export interface TextPart {
  readonly type: 'output_text';
  readonly annotations: readonly never[];
  readonly logprobs: TextLogprob[];
  text: string;
}

export interface ReasoningPart {
  readonly type: 'reasoning_text';
  text: string;
}

export interface MessageItem {
  readonly id: string;
  readonly type: 'message';
  status: ItemStatus;
  readonly content: readonly [TextPart];
  readonly role: 'assistant';
}

export interface ReasoningItem {
  readonly id: string;
  readonly type: 'reasoning';
  readonly summary: readonly never[];
  readonly content: readonly [ReasoningPart];
  /** Only if the request includes it; null until the item is done. */
  encrypted_content?: string | null;
  status: ItemStatus;
}

export interface CallItem {
  readonly id: string;
  readonly type: 'function_call';
  status: ItemStatus;
  arguments: string;
  readonly call_id: string;
  readonly name: string;
}

/** An item of a response, while it grows and when it is done. */
export type OutputItem = MessageItem | ReasoningItem | CallItem;

export function newMessage(id: string): MessageItem {
  const part: TextPart = { type: 'output_text', annotations: [], logprobs: [], text: '' };
  return { id, type: 'message', status: 'in_progress', content: [part], role: 'assistant' };
}

export function newReasoning(id: string, { isPacked }: { readonly isPacked: boolean }): ReasoningItem {
  return {
    id,
    type: 'reasoning',
    summary: [],
    content: [{ type: 'reasoning_text', text: '' }],
    ...(isPacked ? { encrypted_content: null } : {}),
    status: 'in_progress',
  };
}

export function newCall(id: string, call: { readonly id: string; readonly name: string }): CallItem {
  return { id, type: 'function_call', status: 'in_progress', arguments: '', call_id: call.id, name: call.name };
}

/** The bytes of a part of a character may be unknown; OpenAI's clients insist on a list. */
export function textLogprobs(tokens: readonly TokenLogprob[], text: TokenText): TextLogprob[] {
  return chatLogprobs(tokens, text).content.map(({ token, bytes, logprob, top_logprobs: top }) => ({
    token,
    bytes: bytes ?? [],
    logprob,
    top_logprobs: top.map((other) => ({ token: other.token, bytes: other.bytes ?? [], logprob: other.logprob })),
  }));
}
