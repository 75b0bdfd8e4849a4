import type { ApiError } from '../errors.ts';
import type { FloatDatatype } from '../kserve/float-writing.ts';
import type { InferRequest, InferResponse } from '../kserve/server.ts';
import type { StatusError } from '../kserve/status.ts';
import type { EngineTimes } from '../request-watch.ts';

/** How a token is chosen and when to stop. What is left out is the backend's default. */
export interface Sampling extends EngineSampling {
  /** Left out: as many as the context length allows. */
  readonly maxTokens?: number;
  readonly minTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly minP?: number;
  readonly repetitionPenalty?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  /** Of 64 bits; a bigint where a number would lose digits. */
  readonly seed?: number | bigint;
  readonly stop?: readonly string[];
  readonly stopTokenIds?: readonly number[];
  readonly includeStopText?: boolean;
  readonly ignoreEos?: boolean;
  readonly badWords?: readonly string[];
  readonly allowedTokenIds?: readonly number[];
  readonly logitBias?: Readonly<Record<string, number>>;
  readonly skipSpecialTokens?: boolean;
  readonly spacesBetweenSpecialTokens?: boolean;
  /** The name under which the server has a function that changes the logits of each token. */
  readonly logitsPostProcessorName?: string;
}

/** Parameters that only Conch's own vLLM model takes. */
export interface EngineSampling {
  /** The tokens whose logprobs are returned in place of the likeliest ones. */
  readonly logprobTokenIds?: readonly number[];
  /** Lower values run first. */
  readonly priority?: number;
  /** Only requests with the same salt share cached prefixes. */
  readonly cacheSalt?: string;
  /** The token limit of the reasoning. */
  readonly thinkingTokenBudget?: number;
  readonly repetitionDetection?: Readonly<Record<string, unknown>>;
  /** Parameters of plugins of the engine, by their names there. */
  readonly engineExtras?: Readonly<Record<string, unknown>>;
  /** Options of the engine's processor of images and audio. */
  readonly mediaOptions?: Readonly<Record<string, unknown>>;
}

/** The structure that the response must have. */
export type Structure =
  | { readonly json: Readonly<Record<string, unknown>> }
  | { readonly json_object: true }
  | { readonly regex: string }
  | { readonly choice: readonly string[] }
  | { readonly grammar: string }
  | { readonly structural_tag: Readonly<Record<string, unknown>> };

/** How the JSON of a structured output is written. */
export interface StructureOptions {
  /** A regular expression for the whitespace between its parts. */
  readonly whitespacePattern?: string;
  readonly disableAnyWhitespace?: boolean;
  readonly disableAdditionalProperties?: boolean;
}

/** A structure as a backend is sent it. */
export interface WrittenGuide {
  readonly structure: Structure;
  /** Whether every response that the backend guides to it has the requested structure; where not, it is checked. */
  readonly isExact: boolean;
}

/** What a request says in token ids, for contracts that take them. */
export interface TokenInputs {
  readonly prompt: Int32Array;
  /** Every id that ends a response, the tokenizer's own first; empty where they are unknown or to be ignored. */
  readonly eosIds: readonly number[];
  readonly padId: number | undefined;
  /** The tokens of each stop sequence and of each stop id; a sequence may have several tokenizations. */
  readonly stopWords: readonly (readonly number[])[];
  readonly badWords: readonly (readonly number[])[];
  readonly vocabularySize: number;
}

/** Beam search: how many beams there are, and how many of the best are returned as completions. */
export interface Beams {
  readonly width: number;
  readonly completions: number;
  readonly lengthPenalty?: number;
}

/** A picture: its file as it was sent, and the media type that its bytes have. */
export interface EncodedImage {
  readonly type: string;
  readonly bytes: Buffer;
}

/** Which token counts of a streamed response must be the backend's own. */
export interface NeededCounts {
  readonly prompt: boolean;
  /** Where not, Conch may request it all the same; a response without a count counts as one token. */
  readonly completion: boolean;
}

/** One generation: one prompt and one completion, or with beam search several. */
export interface GenerateRequest {
  readonly id: string;
  readonly model: string;
  readonly version: string;
  readonly prompt: string;
  /** In the order of their placeholders in the prompt; left out: none. */
  readonly images?: readonly EncodedImage[] | undefined;
  /** Present where the contract takes token ids. */
  readonly tokens?: TokenInputs | undefined;
  readonly sampling: Sampling;
  /** Whether to stream the text. */
  readonly stream: boolean;
  /** Left out: both counts. */
  readonly counts?: NeededCounts | undefined;
  readonly structure?: Structure | undefined;
  readonly structureOptions?: StructureOptions | undefined;
  /** How many alternatives to return for each token; 0: only the token itself; left out: no logprobs. */
  readonly logprobs?: number | undefined;
  /** The same for each token of the prompt. */
  readonly promptLogprobs?: number | undefined;
  /** Left out: sampling. */
  readonly beams?: Beams | undefined;
  /** The name under which the backend knows a LoRA adapter. */
  readonly loraName?: string | undefined;
  /** Where the server has the adapter of that name; only if the contract `takesAdapterPaths`. */
  readonly adapterPath?: AdapterPath | undefined;
  /** The number under which the engine knows a LoRA adapter. */
  readonly loraTaskId?: number | undefined;
  /** Its weights, where the engine does not have them yet. */
  readonly loraWeights?: LoraWeights;
}

/** The weights of a LoRA adapter in the layout that an engine takes. Shapes leave out the batch dimension. */
export interface LoraWeights {
  readonly weights: Buffer;
  readonly weightsShape: readonly [rows: number, size: number];
  /** Module, layer and rank of each row, and further columns where the engine has them. */
  readonly config: ArrayLike<number>;
  readonly configShape: readonly [rows: number, columns: number];
}

/** A LoRA adapter that a server loads from its own folder. */
export interface AdapterPath {
  /** The engine caches the adapter under this number. */
  readonly id: number;
  readonly path: string;
  /** The format of its files; left out: the server's default. */
  readonly source?: 'hf' | 'nemo' | undefined;
}

/** How an engine is sent LoRA adapters. */
export interface AdapterFormat {
  readonly datatype: FloatDatatype;
  /** How many numbers describe each row of the weights; left out: as many as there are. */
  readonly columns?: number;
  /** Whether the engine says that it no longer has the adapter, or never had it. */
  isMissing(error: StatusError): boolean;
}

/** A token that was, or could have been, chosen. */
export interface TokenChoice {
  readonly id: number;
  readonly text: string;
  readonly logprob: number;
  /** Its bytes where they are known; a token may be a part of a character. */
  readonly bytes?: Uint8Array;
}

/** A chosen token and its best alternatives, the likeliest first. */
export interface TokenLogprob extends TokenChoice {
  readonly top: readonly TokenChoice[];
}

/** The same for a contract that has only token ids. */
export interface IdLogprob {
  readonly id: number;
  readonly logprob: number;
  readonly top: readonly { readonly id: number; readonly logprob: number }[];
}

/** A token of the prompt; its rank is 1 where no token was likelier. */
export interface RankedLogprob {
  readonly id: number;
  readonly logprob: number;
  readonly rank: number;
}

/** A token of the prompt and its best alternatives, which may include it; the first token has no logprob. */
export interface PromptLogprob {
  readonly id: number;
  readonly own: RankedLogprob | undefined;
  readonly top: readonly RankedLogprob[];
}

export type FinishReason = 'stop' | 'length';

/** What an engine reports about one inference when it ends. */
export interface EngineReport {
  readonly times?: EngineTimes | undefined;
  /** The share of the prompt's cache blocks that it had already: 0 to 1. */
  readonly cacheHitRate?: number | undefined;
  /** Tokens that it proposed by speculative decoding, and how many of them it accepted. */
  readonly drafts?: { readonly proposed: number; readonly accepted: number } | undefined;
}

/** Receives what a decoder finds in a response. Beam search returns several completions, numbered from 0. */
export interface GenerateSink {
  /**
   * New text, the number of its tokens and, where the request has logprobs, their logprobs. The text is empty while a
   * character is incomplete.
   */
  text(text: string, tokens: number, logprobs: readonly TokenLogprob[] | undefined, beam?: number): void;
  /** New tokens, from a contract that returns token ids, and their logprobs where the request has logprobs. */
  ids(ids: readonly number[], logprobs: readonly IdLogprob[] | undefined, beam?: number): void;
  /** The token that ended the completion: it is counted, but is no part of the text. */
  endToken(id: number, beam?: number): void;
  /** How many tokens the backend found in the prompt. */
  promptTokens(count: number): void;
  /** How many of them it had in its cache. */
  cachedTokens(count: number): void;
  /** One for each token of the prompt, before its text; only of requests with `promptLogprobs`. */
  promptLogprobs(logprobs: readonly PromptLogprob[]): void;
  /** Called before `finish`, where the backend reports it. */
  engineReport(report: EngineReport): void;
  /** Undefined where the backend sends no finish reason: then the number of tokens decides. */
  finish(reason: FinishReason | undefined, beam?: number): void;
}

/** Reads the responses of one inference; text that comes accumulated and counts need its memory. */
export interface GenerateDecoder {
  push(response: InferResponse, sink: GenerateSink): void;
}

/** How a contract treats a parameter. */
export type Support =
  | { readonly kind: 'supported' | 'emulated' }
  | { readonly kind: 'refused'; readonly reason: string };

/** Whether a model takes images, and how many with one prompt; left out: as many as are sent. */
export type ImageSupport =
  | { readonly kind: 'taken'; readonly most?: number }
  | { readonly kind: 'refused'; readonly reason: string };

/** The parameters that only Conch's own vLLM model has inputs for. */
export const engineParameterNames = [
  'prompt_logprobs',
  'logprob_token_ids',
  'priority',
  'cache_salt',
  'thinking_token_budget',
  'repetition_detection',
  'vllm_xargs',
  'mm_processor_kwargs',
  'structural_tag',
  'guided_whitespace_pattern',
] as const;

/** The parameters that need a contract with token ids. */
export const idParameterNames = ['return_token_ids', 'truncate_prompt_tokens'] as const;

/** The sampling parameters whose support differs between contracts, by their names on the wire. */
export const parameterNames = [
  'temperature',
  'top_p',
  'top_k',
  'min_p',
  'repetition_penalty',
  'frequency_penalty',
  'presence_penalty',
  'seed',
  'stop',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'structured_outputs',
  'min_tokens',
  'ignore_eos',
  'bad_words',
  'allowed_token_ids',
  'stop_token_ids',
  'include_stop_str_in_output',
  'skip_special_tokens',
  'spaces_between_special_tokens',
  'logits_post_processor_name',
  'use_beam_search',
  'length_penalty',
  ...engineParameterNames,
  ...idParameterNames,
] as const;

export type ParameterName = (typeof parameterNames)[number];

/** The limits of a model, where its configuration or that of its engine has them. */
export interface Limits {
  /** Tokens of prompt and response together. */
  readonly context?: number;
  readonly prompt?: number;
  readonly beamWidth?: number;
  readonly vocabulary?: number;
}

export const contractKinds = ['vllm', 'trtllm', 'trtllm-tokens', 'llmapi', 'conch-tokens'] as const;

export type ContractKind = (typeof contractKinds)[number];

/** How Conch uses one kind of Triton model: translates requests and responses, and nothing else. */
export interface GenerationContract {
  readonly kind: ContractKind;
  /** Whether tokenizing the prompt, by the server or for it, adds special tokens such as BOS. */
  readonly addsSpecialTokens: boolean;
  /** Whether prompts and responses are token ids: Conch tokenizes and detokenizes. */
  readonly speaksTokens: boolean;
  /** Whether the backend ends a response at a stop sequence and leaves it out; where not, Conch does. */
  readonly cutsStopTexts: boolean;
  /** Whether the responses have exact token counts; where not, Conch counts. */
  readonly counts: boolean;
  /** Whether a stream requests only the counts that it needs; where not, `counts` of a request is ignored. */
  readonly countsOnDemand?: boolean;
  /** Whether a response may have several tokens without a count: then the completion's are counted from its text. */
  readonly guessesCounts?: boolean;
  /** Whether requests without a seed always get the same response: then Conch draws a seed. */
  readonly repeatsItself?: boolean;
  /** Whether a structured-output guide may end the engine for good. */
  readonly guidesMayEndEngine?: boolean;
  /** Whether requests name a LoRA adapter as the server knows it. */
  readonly namesAdapters?: boolean;
  /** Whether requests say where the server has a LoRA adapter. */
  readonly takesAdapterPaths?: boolean;
  /** How the weights of LoRA adapters are sent, where the model has inputs for them. */
  readonly adapterFormat?: AdapterFormat | undefined;
  readonly limits: Limits;
  readonly images: ImageSupport;
  support(parameter: ParameterName): Support;
  /**
   * Writes a structure in what the backend's libraries share. Left out: it is sent as it is. Throws a 400 whose `param` is
   * a path below `structured_outputs`.
   */
  readonly guide?: ((structure: Structure) => WrittenGuide) | undefined;
  /** Throws where the backend would fail on a value that the API allows. */
  checkSampling?: ((sampling: Sampling) => void) | undefined;
  encode(request: GenerateRequest): InferRequest;
  decoder(request: GenerateRequest): GenerateDecoder;
  /** The API error of a backend's error text; its param `prompt` means the prompt's field. Undefined: unknown. */
  explain(error: StatusError): ApiError | undefined;
  /** The LoRA adapters that an error about an unknown one lists; undefined for any other error. */
  namedAdapters?(error: StatusError): readonly string[] | undefined;
  /** The request that ends another one of the same id, on servers that need it. */
  stopRequest?(request: GenerateRequest): InferRequest;
}
