import type { CompletionOptions } from '../../generate/completion-options.ts';

/** The id and the model of a message. */
export interface MessageHead {
  readonly id: string;
  /** As the request named it. */
  readonly model: string;
}

/** The id has the same random part as the chat id, which is in the log and at the Triton server. */
export function messageHead({ head }: Pick<CompletionOptions, 'head'>): MessageHead {
  return { id: `msg_${head.id.slice(head.id.indexOf('-') + 1)}`, model: head.model };
}

/** A content block of a message. */
export type ContentBlock =
  | { readonly type: 'text'; text: string }
  | { readonly type: 'thinking'; thinking: string; signature: string }
  | {
      readonly type: 'tool_use';
      readonly id: string;
      readonly name: string;
      input: unknown;
      readonly caller: { readonly type: 'direct' };
    };

/** The final token counts, under Anthropic's names. */
export interface DeltaUsage {
  /** Without the tokens read from the cache. */
  readonly input_tokens: number;
  /** Unknown: backends do not report it. */
  readonly cache_creation_input_tokens: null;
  /** Null if the backend does not report it. */
  readonly cache_read_input_tokens: number | null;
  readonly output_tokens: number;
  /** Null where there was no reasoning. */
  readonly output_tokens_details: { readonly thinking_tokens: number } | null;
  readonly server_tool_use: null;
}

/** Why a message ended. */
export interface MessageEnding {
  readonly stop_reason: 'end_turn' | 'max_tokens' | 'stop_sequence' | 'tool_use' | null;
  /** The stop sequence that ended the message. */
  readonly stop_sequence: string | null;
  readonly stop_details: null;
  readonly container: null;
}

export const noEnding: MessageEnding = { stop_reason: null, stop_sequence: null, stop_details: null, container: null };

/** The response of POST /v1/messages. */
export function messageOf(
  { id, model }: MessageHead,
  parts: { readonly content: readonly ContentBlock[]; readonly ending: MessageEnding; readonly usage: DeltaUsage },
) {
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: parts.content,
    ...parts.ending,
    diagnostics: null,
    usage: { ...parts.usage, cache_creation: null, inference_geo: null, service_tier: 'standard', speed: null },
  } as const;
}

export type Message = ReturnType<typeof messageOf>;
