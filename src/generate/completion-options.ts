import { randomUUID } from 'node:crypto';

/** What every chunk of a response, and the whole response, say about it. */
export interface CompletionHead {
  readonly id: string;
  /** Seconds since 1970. */
  readonly created: number;
  /** As the request named it. */
  readonly model: string;
  readonly fingerprint: string;
  /** Present in the response only if the request named a tier. */
  readonly serviceTier: 'default' | undefined;
}

/** An id like OpenAI's: the prefix and 32 letters or digits. */
export function responseId(prefix: 'chatcmpl' | 'cmpl' | 'embd' | 'rerank' | 'score' | 'classify'): string {
  return `${prefix}-${randomUUID().replaceAll('-', '')}`;
}

/** What a response is made of besides its events. */
export interface CompletionOptions {
  readonly head: CompletionHead;
  /** The name of the request on its server. */
  readonly inferenceId: string;
  readonly choices: number;
  readonly usage: UsageOptions;
  readonly wantsLogprobs: boolean;
  /** Whether the response has the ids of tokens. */
  readonly wantsTokenIds: boolean;
  /** How many tokens a delta of a stream has, except the first and the last. */
  readonly streamInterval: number;
  /** Whether the text of each token is a delta of its own, although a backend may send several tokens at once. */
  readonly sendsEveryToken: boolean;
  /** Whether logprobs name tokens by their ids. */
  readonly namesTokenIds: boolean;
}

/** Which usage a stream reports. */
interface UsageOptions {
  /** A chunk with the whole usage before the end. */
  readonly inTheEnd: boolean;
  /** The usage so far on every chunk. */
  readonly onEveryChunk: boolean;
}
