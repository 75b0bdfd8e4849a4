import type { ApiError } from '../errors.ts';
import type { FloatDatatype } from '../kserve/float-writing.ts';
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
}

/** A form that the answer must have. */
export type Structure =
  | { readonly json: Readonly<Record<string, unknown>> }
  | { readonly json_object: true }
  | { readonly regex: string }
  | { readonly choice: readonly string[] }
  | { readonly grammar: string };

/** A structure as a backend is sent it. */
export interface WrittenGuide {
  readonly structure: Structure;
  /** Whether every response that the backend guides to it has the structure that was asked for; where not, it is checked. */
  readonly isExact: boolean;
}

/** What a request says in token ids, for contracts that take them. */
export interface TokenInputs {
  readonly prompt: Int32Array;
  /** Every id that ends an answer, the tokenizer's own first; none where nobody knows them, or it is to run past them. */
  readonly eosIds: readonly number[];
  readonly padId: number | undefined;
  /** The tokens of each stop text and of each stop id; a text may have several forms. */
  readonly stopWords: readonly (readonly number[])[];
  readonly badWords: readonly (readonly number[])[];
  readonly vocabularySize: number;
}

/** Beam search: how many beams are followed, and how many of the best are wanted as answers. */
export interface Beams {
  readonly width: number;
  readonly answers: number;
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
  /** Where not, the backend may be asked all the same; a response that does not say how many tokens it has counts as one. */
  readonly completion: boolean;
}

/** One generation: one prompt and one answer, or with beam search several. */
export interface GenerateRequest {
  readonly id: string;
  readonly model: string;
  readonly version: string;
  readonly prompt: string;
  /** In the order in which the prompt speaks of them; left out: none. */
  readonly images?: readonly EncodedImage[] | undefined;
  /** Present where the contract speaks in tokens. */
  readonly tokens?: TokenInputs | undefined;
  readonly sampling: Sampling;
  /** Whether the text is wanted as it comes. */
  readonly stream: boolean;
  /** Left out: both counts. */
  readonly counts?: NeededCounts | undefined;
  readonly structure?: Structure | undefined;
  /** How many alternatives to name for each token; 0: just the token itself; left out: no logprobs. */
  readonly logprobs?: number | undefined;
  /** Left out: sampling. */
  readonly beams?: Beams | undefined;
  /** The name under which the backend knows a LoRA adapter. */
  readonly loraName?: string | undefined;
  /** The number under which the engine knows a LoRA adapter. */
  readonly loraTaskId?: number | undefined;
  /** Its weights, where the engine has yet to be given them. */
  readonly loraWeights?: LoraWeights;
}

/** The weights of a LoRA adapter in the form that an engine takes. Shapes leave out the batch dimension. */
export interface LoraWeights {
  readonly weights: Buffer;
  readonly weightsShape: readonly [rows: number, size: number];
  /** Module, layer and rank of each row, and whatever else the engine wants to know of it. */
  readonly config: ArrayLike<number>;
  readonly configShape: readonly [rows: number, columns: number];
}

/** How an engine is sent LoRA adapters. */
export interface AdapterForm {
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

/** The same, of a contract that knows tokens by their ids alone. */
export interface IdLogprob {
  readonly id: number;
  readonly logprob: number;
  readonly top: readonly { readonly id: number; readonly logprob: number }[];
}

export type FinishReason = 'stop' | 'length';

/** Where a decoder puts what it finds in a response. Beam search gives several answers, which are numbered from 0. */
export interface GenerateSink {
  /**
   * New text, how many tokens stand behind it and, where they were asked for, their logprobs. The text is empty while
   * a character is incomplete.
   */
  text(text: string, tokens: number, logprobs: readonly TokenLogprob[] | undefined, answer?: number): void;
  /** New tokens, from a contract that speaks in tokens, and where they were asked for the logprob of each. */
  ids(ids: readonly number[], logprobs: readonly IdLogprob[] | undefined, answer?: number): void;
  /** How many tokens the backend found in the prompt. */
  promptTokens(count: number): void;
  /** How many of them it had in its cache. */
  cachedTokens(count: number): void;
  /** Undefined where the backend does not say why it ended: then the count of tokens tells. */
  finish(reason: FinishReason | undefined, answer?: number): void;
}

/** Reads the responses of one inference; text that comes accumulated and counts need its memory. */
export interface GenerateDecoder {
  push(response: InferResponse, sink: GenerateSink): void;
}

/** What a contract makes of a parameter. */
export type Support =
  | { readonly kind: 'honoured' | 'emulated' }
  | { readonly kind: 'refused'; readonly reason: string };

/** Whether a model takes images, and how many with one prompt; left out: as many as are sent. */
export type ImageSupport =
  | { readonly kind: 'taken'; readonly most?: number }
  | { readonly kind: 'refused'; readonly reason: string };

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
  'use_beam_search',
  'length_penalty',
] as const;

export type ParameterName = (typeof parameterNames)[number];

/** What a model can hold, where its configuration or its engine's says it. */
export interface Limits {
  /** Prompt and answer together. */
  readonly context?: number;
  readonly prompt?: number;
  readonly beamWidth?: number;
  readonly vocabulary?: number;
}

export const contractKinds = ['vllm', 'trtllm', 'trtllm-tokens', 'llmapi'] as const;

export type ContractKind = (typeof contractKinds)[number];

/** How one kind of Triton model speaks: translates, and nothing else. */
export interface GenerationContract {
  readonly kind: ContractKind;
  /** Whether the prompt is given special tokens such as BOS when it is tokenized, by the server or for it. */
  readonly addsSpecialTokens: boolean;
  /** Whether prompts and answers are token ids: text becomes ids, and ids text, on this side. */
  readonly speaksTokens: boolean;
  /** Whether the backend ends an answer at a stop text and leaves it out; where not, that is done here. */
  readonly cutsStopTexts: boolean;
  /** Whether the responses carry exact token counts; where not, they are counted here. */
  readonly counts: boolean;
  /** Whether a stream asks only for the counts that its request needs; where not, `counts` of a request has no effect. */
  readonly countsOnDemand?: boolean;
  /** Whether a response may stand for several tokens without saying so: the answer's are counted from its text then. */
  readonly guessesCounts?: boolean;
  /** Whether a request without a seed is always answered alike: then one is drawn for it here. */
  readonly repeatsItself?: boolean;
  /** Whether a structured-output guide may end the engine for good. */
  readonly guidesMayEndEngine?: boolean;
  /** Whether requests name a LoRA adapter as the server knows it. */
  readonly namesAdapters?: boolean;
  /** How the weights of LoRA adapters are sent, where the model has inputs for them. */
  readonly adapterForm?: AdapterForm | undefined;
  readonly limits: Limits;
  readonly images: ImageSupport;
  support(parameter: ParameterName): Support;
  /**
   * Writes a structure in what the backend's libraries share. Left out: it is sent as it is. Throws a 400 whose `param` is
   * a place below `structured_outputs`.
   */
  readonly guide?: ((structure: Structure) => WrittenGuide) | undefined;
  /** Throws where the backend would fail on a value that the API allows. */
  checkSampling?: ((sampling: Sampling) => void) | undefined;
  encode(request: GenerateRequest): InferRequest;
  decoder(request: GenerateRequest): GenerateDecoder;
  /** What a backend's error text means to the client, `prompt` standing for the prompt's field; undefined: unknown. */
  explain(error: StatusError): ApiError | undefined;
  /** The LoRA adapters that a backend's refusal of another one names; undefined where it is no such refusal. */
  namedAdapters?(error: StatusError): readonly string[] | undefined;
  /** The request that ends another one of the same id, on servers that must be told so. */
  stopRequest?(request: GenerateRequest): InferRequest;
}
