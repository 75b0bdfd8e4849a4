import { createHash, randomUUID } from 'node:crypto';
import type { TokenUsage } from '../contracts/events.ts';
import type { TokenText } from './logprobs.ts';
import type { AnswerShape } from './shapes.ts';

/** What every chunk of an answer, and the whole one, say about it. */
export interface AnswerHead {
  readonly id: string;
  /** Seconds since 1970. */
  readonly created: number;
  /** As the request named it. */
  readonly model: string;
  readonly fingerprint: string;
  /** Present in the answer only when the request named a tier. */
  readonly serviceTier: 'default' | undefined;
}

/** Token counts as OpenAI names them. */
export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  /** Only where the backend says how much of the prompt it had in its cache. */
  readonly prompt_tokens_details?: { readonly cached_tokens: number };
  /** Only where there was reasoning. */
  readonly completion_tokens_details?: { readonly reasoning_tokens: number };
}

export function usageOf({ promptTokens, completionTokens, cachedTokens, reasoningTokens }: TokenUsage): Usage {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    ...(cachedTokens === undefined ? {} : { prompt_tokens_details: { cached_tokens: cachedTokens } }),
    ...(reasoningTokens === undefined ? {} : { completion_tokens_details: { reasoning_tokens: reasoningTokens } }),
  };
}

/** An id like OpenAI's: the prefix and 32 letters or digits. */
export function answerId(prefix: 'chatcmpl' | 'cmpl' | 'embd' | 'rerank'): string {
  return `${prefix}-${randomUUID().replaceAll('-', '')}`;
}

/** Changes when what answers changes: the model, its version, its settings or Conch. */
export function fingerprintOf(...parts: readonly string[]): string {
  return `fp_${createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 10)}`;
}

/** The members that all answers and chunks begin with, in OpenAI's order. */
export function headFields(head: AnswerHead, object: string): Record<string, unknown> {
  return {
    id: head.id,
    object,
    created: head.created,
    model: head.model,
    ...(head.serviceTier === undefined ? {} : { service_tier: head.serviceTier }),
    system_fingerprint: head.fingerprint,
  };
}

/** What an answer is made of beside its events. */
export interface AnswerOptions {
  readonly shape: AnswerShape;
  readonly head: AnswerHead;
  /** The name of the request on its server. */
  readonly inferenceId: string;
  readonly choices: number;
  readonly usage: UsageWish;
  readonly wantsLogprobs: boolean;
  readonly tokenText: TokenText;
}

/** What a stream is asked to say about usage. */
interface UsageWish {
  /** A chunk with the whole usage before the end. */
  readonly inTheEnd: boolean;
  /** The usage so far on every chunk. */
  readonly onEveryChunk: boolean;
}

/** An event of a server-sent stream. */
export function eventOf(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

export const streamEnd = 'data: [DONE]\n\n';
