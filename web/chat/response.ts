import { RequestError } from '../lib/request-error.ts';
import type { ToolCall } from './conversation.ts';

/** A response as far as it has arrived. */
export interface PartialResponse {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ToolCall[];
  readonly finish: string | undefined;
  /** The count of the server, sent at the end. */
  readonly tokens: number | undefined;
  /** The number of chunks with content. */
  readonly pieces: number;
}

/** A response before its first chunk. */
export const emptyResponse: PartialResponse = {
  text: '',
  reasoning: '',
  calls: [],
  finish: undefined,
  tokens: undefined,
  pieces: 0,
};

interface CallDelta {
  readonly index?: number;
  readonly id?: string;
  readonly function?: { readonly name?: string; readonly arguments?: string };
}

interface Chunk {
  readonly error?: { readonly message?: string; readonly code?: string };
  readonly usage?: { readonly completion_tokens?: number } | null;
  readonly choices?: readonly {
    readonly finish_reason?: string | null;
    readonly delta?: {
      readonly content?: string | null;
      readonly reasoning_content?: string | null;
      readonly tool_calls?: readonly CallDelta[];
    };
  }[];
}

/** The response with one more chunk of its stream. Throws a RequestError if the chunk contains an error. */
export function withChunk(response: PartialResponse, data: string): PartialResponse {
  const { error, usage, choices } = JSON.parse(data) as Chunk;
  if (error) throw new RequestError(error.message ?? 'The response failed.', { status: 200, code: error.code ?? '' });
  const choice = choices?.[0];
  const { content, reasoning_content: reasoning, tool_calls: calls } = choice?.delta ?? {};
  const hasMore = Boolean(content) || Boolean(reasoning) || (calls?.length ?? 0) > 0;
  return {
    text: response.text + (content ?? ''),
    reasoning: response.reasoning + (reasoning ?? ''),
    calls: calls ? calls.reduce(withCall, response.calls) : response.calls,
    finish: choice?.finish_reason ?? response.finish,
    tokens: usage?.completion_tokens ?? response.tokens,
    pieces: response.pieces + (hasMore ? 1 : 0),
  };
}

function withCall(calls: readonly ToolCall[], delta: CallDelta): readonly ToolCall[] {
  const at = delta.index ?? calls.length;
  const before = calls[at] ?? { id: '', name: '', arguments: '' };
  const call = {
    id: delta.id ?? before.id,
    name: before.name + (delta.function?.name ?? ''),
    arguments: before.arguments + (delta.function?.arguments ?? ''),
  };
  return [...calls.slice(0, at), call, ...calls.slice(at + 1)];
}
