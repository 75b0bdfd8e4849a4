/**
 * The parts of node-llama-cpp 3.22.1 that Conch uses. Its own sequences cannot sample one position twice, switch
 * adapters between batches or stop inside one, so Conch's loop uses the binding below them. That is why the exact
 * release is pinned (docs/decisions/embedded-binding.md).
 */
export interface EngineModule {
  getLlama(options: {
    readonly gpu: 'auto' | false;
    readonly build: 'never';
    readonly skipDownload: true;
    readonly progressLogs: false;
    readonly maxThreads: 0;
    logger(level: string, message: string): void;
  }): Promise<Llama>;
}

/** llama.cpp, loaded. */
export interface Llama {
  readonly gpu: string | false;
  readonly cpuMathCores: number;
  readonly _bindings: Bindings;
  loadModel(options: {
    readonly modelPath: string;
    readonly loadSignal?: AbortSignal;
    onLoadProgress?(fraction: number): void;
  }): Promise<LlamaModel>;
  dispose(): Promise<void>;
}

/** The weights of one file, in memory. */
export interface LlamaModel {
  readonly _model: ModelBinding;
  createContext(options: {
    readonly sequences: number;
    readonly contextSize: number;
    readonly batchSize: number;
    readonly threads: number;
    readonly swaFullCache?: boolean;
    readonly ignoreMemorySafetyChecks?: boolean;
    readonly failedCreationRemedy: false;
    readonly _embeddings?: boolean;
  }): Promise<LlamaContext>;
  dispose(): Promise<void>;
}

/** The memory that sequences are evaluated in. */
export interface LlamaContext {
  readonly _ctx: ContextBinding;
  readonly memoryUsage: { readonly ram: number; readonly vram: number };
  dispose(): Promise<void>;
}

/** The constructors of the native binding. */
export interface Bindings {
  readonly AddonSampler: new (model: ModelBinding) => SamplerBinding;
  readonly AddonGrammar: new (
    text: string,
    options: { readonly addonExports: Bindings; readonly rootRuleName: string },
  ) => GrammarBinding;
  readonly AddonModelLora: new (model: ModelBinding, file: string) => LoraBinding;
  readonly AddonGrammarEvaluationState: new (model: ModelBinding, grammar: GrammarBinding) => GrammarStateBinding;
}

/** A parsed grammar. */
export interface GrammarBinding {
  isTextCompatible(text: string): boolean;
}

/** The position of one generation in its grammar; the sampler advances it. */
export interface GrammarStateBinding {
  readonly __brand?: 'grammar-state';
}

/** An adapter, loaded onto its model. */
export interface LoraBinding {
  readonly filePath: string;
  /** Frees its memory; no context may use it any more. */
  dispose(): Promise<void>;
}

/** The vocabulary and the tokenizer of a model, and what its adapters are loaded onto. */
export interface ModelBinding {
  loadLora(lora: LoraBinding): Promise<void>;
  tokenize(text: string, specialTokens: boolean): Uint32Array;
  detokenize(tokens: Uint32Array, specialTokens: boolean): string;
  getTokenString(token: number): string;
  getTokenAttributes(token: number): number;
  isEogToken(token: number): boolean;
  shouldPrependBosToken(): boolean;
  shouldAppendEosToken(): boolean;
  tokenBos(): number;
  tokenEos(): number;
  sepToken(): number;
  getEmbeddingVectorSize(): number;
}

/** The options of a sampler; an option that is left out is off. */
export interface SamplerConfig {
  readonly temperature?: number;
  readonly topK?: number;
  readonly topP?: number;
  readonly minP?: number;
  readonly seed?: number;
  readonly repeatPenalty?: number;
  readonly repeatPenaltyMaxTokens?: number;
  readonly repeatPenaltyTokens?: Uint32Array;
  readonly repeatPenaltyPresencePenalty?: number;
  readonly repeatPenaltyFrequencyPenalty?: number;
  readonly tokenBiasKeys?: Uint32Array;
  readonly tokenBiasValues?: Float32Array;
  readonly grammarEvaluationState?: GrammarStateBinding;
}

/** Chooses tokens, and remembers the chosen ones. */
export interface SamplerBinding {
  applyConfig(config: SamplerConfig): void;
  dispose(): void;
}

/** [ids to name, the highest, the lowest, the chosen one, how many of the highest]. */
export type LogitFilter = [ids: number[], highest: boolean, lowest: boolean, chosen: boolean, top: number];

/** [token, probabilities, confidence, logits as id and value in turn, sum of exp(logit - highest)]. */
export type LogitResult = [
  token: number,
  probabilities: undefined,
  confidence: undefined,
  logits: number[] | undefined,
  weight: number | undefined,
];

/** A context: batches of tokens of several sequences go in, tokens are sampled from what comes out. */
export interface ContextBinding {
  initBatch(size: number): void;
  /** Returns the indexes of the requested logits. */
  addToBatch(sequence: number, position: number, tokens: Uint32Array, logits: Uint32Array): Uint32Array;
  decodeBatch(): Promise<void>;
  sampleToken(at: number, sampler: SamplerBinding): Promise<number>;
  sampleToken(
    at: number,
    sampler: SamplerBinding,
    probabilities: false,
    confidence: false,
    logits: LogitFilter,
    weight: true,
  ): Promise<LogitResult>;
  /** False if this kind of model cannot forget a part. */
  removeTokenCellsFromSequence(sequence: number, from: number, to: number): boolean;
  disposeSequence(sequence: number): void;
  getEmbedding(tokens: number): Float64Array;
  setLoras(loras: LoraBinding[], scales: number[]): void;
  setThreads(threads: number): void;
}
