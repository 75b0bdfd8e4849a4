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
  /** Only of a tool in a namespace. */
  readonly namespace?: string;
}

/** A call of a tool whose input is plain text. */
export interface CustomCallItem {
  readonly id: string;
  readonly type: 'custom_tool_call';
  status: ItemStatus;
  readonly call_id: string;
  input: string;
  readonly name: string;
  /** Only of a tool in a namespace. */
  readonly namespace?: string;
}

/** An item of a response, while it grows and when it is done. */
export type OutputItem = MessageItem | ReasoningItem | CallItem | CustomCallItem;

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

/** The call of a tool, by the tool's own name. */
interface Call {
  readonly id: string;
  readonly name: string;
  readonly namespace?: string | undefined;
}

export function newCall(id: string, { id: callId, name, namespace }: Call): CallItem {
  const member = namespace === undefined ? {} : { namespace };
  return { id, type: 'function_call', status: 'in_progress', arguments: '', call_id: callId, name, ...member };
}

export function newCustomCall(id: string, { id: callId, name, namespace }: Call): CustomCallItem {
  const member = namespace === undefined ? {} : { namespace };
  return { id, type: 'custom_tool_call', status: 'in_progress', call_id: callId, input: '', name, ...member };
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
