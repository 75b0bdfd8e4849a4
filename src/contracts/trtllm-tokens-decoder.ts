import type { InferResponse } from '../kserve/server.ts';
import type {
  FinishReason,
  GenerateDecoder,
  GenerateRequest,
  GenerateSink,
  IdLogprob,
  TokenInputs,
} from './contract.ts';
import { chosenLogprobs, logitLogprobs } from './trtllm-logits.ts';
import type { LogprobSource } from './trtllm-tokens-support.ts';

/** What the responses of an engine look like. */
interface TokensDecoderOptions {
  readonly logprobs: LogprobSource | undefined;
  /** Whether the ids begin with the prompt's. */
  readonly echoesPrompt: boolean;
  /** The context length. */
  readonly context: number | undefined;
  readonly blockSize: number | undefined;
}

/** One completion: beam search has several. */
interface BeamState {
  /** How many were passed on; the one that ends the completion is not. */
  tokens: number;
  /** Its last ids, at least as many as the longest stop word has. */
  readonly tail: number[];
  /** Whether a token came that ends a completion. */
  isEnded: boolean;
}

/** Reads the responses of one request to an engine. Each has the tokens since the one before, none a finish reason. */
export class TrtllmTokensDecoder implements GenerateDecoder {
  readonly #request: GenerateRequest;
  readonly #inputs: TokenInputs;
  readonly #options: TokensDecoderOptions;
  readonly #eosIds: ReadonlySet<number>;
  readonly #stopIds: ReadonlySet<number>;
  readonly #longestStop: number;
  readonly #states: readonly BeamState[];
  #reusedBlocks: number | undefined;
  #isPromptCounted = false;
  #isFinished = false;

  constructor(request: GenerateRequest, inputs: TokenInputs, options: TokensDecoderOptions) {
    this.#request = request;
    this.#inputs = inputs;
    this.#options = options;
    this.#eosIds = new Set(inputs.eosIds);
    this.#stopIds = new Set(request.sampling.stopTokenIds);
    this.#longestStop = Math.max(0, ...inputs.stopWords.map((word) => word.length));
    const count = request.beams?.completions ?? 1;
    this.#states = Array.from({ length: count }, () => ({ tokens: 0, tail: [], isEnded: false }));
  }

  push(response: InferResponse, sink: GenerateSink): void {
    if (this.#isFinished) return;
    // One token is usual in a stream: it is read without a copy.
    const length = response.uint32('sequence_length');
    if (length === 1 && !this.#request.beams) this.#pushData(response, sink, response.uint32('output_ids'));
    else if (length !== undefined) this.#pushData(response, sink);
    if (response.final) this.#finish(sink);
  }

  #pushData(response: InferResponse, sink: GenerateSink, only?: number): void {
    if (!this.#isPromptCounted) {
      this.#isPromptCounted = true;
      sink.promptTokens(this.#inputs.prompt.length);
    }
    if (this.#options.blockSize !== undefined)
      this.#reusedBlocks = response.uint32('kv_cache_reused_blocks') ?? this.#reusedBlocks;
    if (only !== undefined) this.#take([only], { beam: 0, response }, sink);
    else this.#pushBeams(response, sink);
  }

  #pushBeams(response: InferResponse, sink: GenerateSink): void {
    const data = response.raw('output_ids') ?? nothing;
    const lengths = response.raw('sequence_length') ?? nothing;
    const shape = response.outputs.find(({ name }) => name === 'output_ids')?.shape ?? [];
    const perBeam = 4 * (shape.at(-1) ?? 0);
    const count = Math.min(this.#states.length, lengths.length >>> 2);
    for (let beam = 0; beam < count; beam++) {
      const row = data.subarray(beam * perBeam, (beam + 1) * perBeam);
      this.#take(readIds(row, lengths.readInt32LE(4 * beam)), { beam, response }, sink);
    }
  }

  #logprobs(ids: readonly number[], { beam, response }: BeamSource): IdLogprob[] | undefined {
    const { logprobs: source } = this.#options;
    if (source === undefined) return undefined;
    const { vocabularySize: vocabulary } = this.#inputs;
    const likelihoods =
      source === 'output_log_probs'
        ? chosenLogprobs(response)
        : logitLogprobs(response, { top: this.#request.logprobs ?? 0, vocabulary });
    return ids.map((id, position) => likelihoods.logprob(beam, position, id));
  }

  /** Passes new tokens on, up to one that ends the completion: that one is counted, but is no part of it. */
  #take(ids: number[], { beam, response }: BeamSource, sink: GenerateSink): void {
    const state = this.#states[beam] as BeamState;
    if (state.isEnded) return;
    if (this.#options.echoesPrompt) dropPrompt(ids, this.#inputs.prompt);
    const end = ids.findIndex(this.#isEnd);
    const last = ids[end];
    if (end >= 0) {
      state.isEnded = true;
      ids.length = this.#keeps(ids[end] as number) ? end + 1 : end;
    }
    const isDropped = end === ids.length;
    state.tokens += ids.length;
    this.#remember(state, ids);
    if (ids.length > 0) sink.ids(ids, this.#logprobs(ids, { beam, response }), beam);
    if (isDropped && last !== undefined) sink.endToken(last, beam);
  }

  #remember({ tail }: BeamState, ids: readonly number[]): void {
    const length = this.#longestStop;
    for (let at = Math.max(0, ids.length - length); at < ids.length; at++) tail.push(ids[at] as number);
    if (tail.length > 8 * length) tail.splice(0, tail.length - length);
  }

  readonly #isEnd = (id: number): boolean => this.#eosIds.has(id) || this.#stopIds.has(id);

  /** Whether a token that ended the completion is a part of it. */
  #keeps(id: number): boolean {
    return this.#request.sampling.includeStopText === true && !this.#eosIds.has(id);
  }

  #finish(sink: GenerateSink): void {
    this.#isFinished = true;
    const { prompt } = this.#inputs;
    if (this.#reusedBlocks !== undefined)
      sink.cachedTokens(Math.min(this.#reusedBlocks * (this.#options.blockSize ?? 0), prompt.length));
    this.#states.forEach((state, index) => sink.finish(this.#reason(state), index));
  }

  #reason({ isEnded, tail, tokens }: BeamState): FinishReason {
    if (isEnded || this.#inputs.stopWords.some((word) => endsWith(tail, word))) return 'stop';
    const { maxTokens = Number.POSITIVE_INFINITY } = this.#request.sampling;
    const { context = Number.POSITIVE_INFINITY } = this.#options;
    return tokens >= maxTokens || this.#inputs.prompt.length + tokens >= context ? 'length' : 'stop';
  }
}

/** The beam that tokens belong to, and the response that they came with. */
interface BeamSource {
  readonly beam: number;
  readonly response: InferResponse;
}

const nothing = Buffer.alloc(0);

/** The ids of one beam, up to its length or to its padding. */
function readIds(data: Buffer, length: number): number[] {
  const count = Math.min(length, data.length >>> 2);
  const ids: number[] = [];
  for (let index = 0; index < count; index++) {
    const id = data.readInt32LE(4 * index);
    if (id < 0) break;
    ids.push(id);
  }
  return ids;
}

function dropPrompt(ids: number[], prompt: Int32Array): void {
  if (prompt.every((id, at) => ids[at] === id)) ids.splice(0, prompt.length);
}

function endsWith(ids: readonly number[], word: readonly number[]): boolean {
  return word.length > 0 && word.every((id, at) => ids[ids.length - word.length + at] === id);
}
