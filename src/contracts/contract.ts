import type { ApiError } from '../errors.ts';
import type { InferRequest, InferResponse } from '../kserve/server.ts';
import type { StatusError } from '../kserve/status.ts';

/** How a token is chosen and when to stop. What is left out is the backend's default. */
export interface Sampling {
  /** Left out: as many as the context has room for. */
  readonly maxTokens?: number;
  readonly minTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly minP?: number;
  readonly repetitionPenalty?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  readonly seed?: number;
  readonly stop?: readonly string[];
  readonly stopTokenIds?: readonly number[];
  readonly includeStopText?: boolean;
  readonly ignoreEos?: boolean;
  readonly badWords?: readonly string[];
  readonly allowedTokenIds?: readonly number[];
  readonly logitBias?: Readonly<Record<string, number>>;
  readonly skipSpecialTokens?: boolean;
  readonly spacesBetweenSpecialTokens?: boolean;
}

/** A form that the answer must have. */
export type Structure =
  | { readonly json: Readonly<Record<string, unknown>> }
  | { readonly json_object: true }
  | { readonly regex: string }
  | { readonly choice: readonly string[] }
  | { readonly grammar: string };

/** One generation: one prompt, one choice. */
export interface GenerateRequest {
  readonly id: string;
  readonly model: string;
  readonly version: string;
  readonly prompt: string;
  readonly sampling: Sampling;
  /** Whether the text is wanted as it comes. */
  readonly stream: boolean;
  readonly structure?: Structure;
  /** How many alternatives to name for each token; 0: just the token itself; left out: no logprobs. */
  readonly logprobs?: number;
}

/** A token that was, or could have been, chosen. */
export interface TokenChoice {
  readonly id: number;
  readonly text: string;
  readonly logprob: number;
}

/** A chosen token and its best alternatives, the likeliest first. */
export interface TokenLogprob extends TokenChoice {
  readonly top: readonly TokenChoice[];
}

export type FinishReason = 'stop' | 'length';

/** Where a decoder puts what it finds in a response. */
export interface GenerateSink {
  /**
   * New text, how many tokens stand behind it and, where they were asked for, their logprobs. The text is empty while
   * a character is incomplete.
   */
  text(text: string, tokens: number, logprobs: readonly TokenLogprob[] | undefined): void;
  /** How many tokens the backend found in the prompt. */
  promptTokens(count: number): void;
  finish(reason: FinishReason): void;
}

/** Reads the responses of one inference; text that comes accumulated and counts need its memory. */
export interface GenerateDecoder {
  push(response: InferResponse, sink: GenerateSink): void;
}

/** What a contract makes of a parameter. */
export type Support =
  | { readonly kind: 'honoured' | 'emulated' }
  | { readonly kind: 'refused'; readonly reason: string };

/** The sampling parameters whose support differs between contracts, by their names on the wire. */
export type ParameterName =
  | 'logit_bias'
  | 'logprobs'
  | 'structured_outputs'
  | 'min_p'
  | 'min_tokens'
  | 'ignore_eos'
  | 'bad_words'
  | 'allowed_token_ids'
  | 'stop_token_ids'
  | 'include_stop_str_in_output'
  | 'skip_special_tokens'
  | 'spaces_between_special_tokens';

/** How one kind of Triton model speaks: translates, and nothing else. */
export interface GenerationContract {
  readonly kind: 'vllm';
  /** Whether the server tokenizes the prompt itself and puts special tokens such as BOS in front. */
  readonly addsSpecialTokens: boolean;
  /** Whether the responses carry exact token counts; where not, they are counted here. */
  readonly counts: boolean;
  /** The context length where the model's configuration tells it. */
  readonly contextLength: number | undefined;
  support(parameter: ParameterName): Support;
  encode(request: GenerateRequest): InferRequest;
  decoder(request: GenerateRequest): GenerateDecoder;
  /** What a backend's error text means to the client, `prompt` standing for the prompt's field; undefined: unknown. */
  explain(error: StatusError): ApiError | undefined;
}
