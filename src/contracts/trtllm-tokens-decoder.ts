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
interface AnswerForm {
  readonly logprobs: LogprobSource | undefined;
  /** Whether the ids begin with the prompt's. */
  readonly echoesPrompt: boolean;
  /** The context length. */
  readonly context: number | undefined;
  readonly blockSize: number | undefined;
}

/** One completion: beam search has several. */
interface Answer {
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
  readonly #form: AnswerForm;
  readonly #eosIds: ReadonlySet<number>;
  readonly #stopIds: ReadonlySet<number>;
  readonly #longestStop: number;
  readonly #answers: readonly Answer[];
  #reusedBlocks: number | undefined;
  #isPromptCounted = false;
  #isFinished = false;

  constructor(request: GenerateRequest, inputs: TokenInputs, form: AnswerForm) {
    this.#request = request;
    this.#inputs = inputs;
    this.#form = form;
    this.#eosIds = new Set(inputs.eosIds);
    this.#stopIds = new Set(request.sampling.stopTokenIds);
    this.#longestStop = Math.max(0, ...inputs.stopWords.map((word) => word.length));
    const count = request.beams?.answers ?? 1;
    this.#answers = Array.from({ length: count }, () => ({ tokens: 0, tail: [], isEnded: false }));
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
    if (this.#form.blockSize !== undefined)
      this.#reusedBlocks = response.uint32('kv_cache_reused_blocks') ?? this.#reusedBlocks;
    if (only !== undefined) this.#take([only], { answer: 0, response }, sink);
    else this.#pushBeams(response, sink);
  }

  #pushBeams(response: InferResponse, sink: GenerateSink): void {
    const data = response.raw('output_ids') ?? nothing;
    const lengths = response.raw('sequence_length') ?? nothing;
    const shape = response.outputs.find(({ name }) => name === 'output_ids')?.shape ?? [];
    const perBeam = 4 * (shape.at(-1) ?? 0);
    const count = Math.min(this.#answers.length, lengths.length >>> 2);
    for (let answer = 0; answer < count; answer++) {
      const row = data.subarray(answer * perBeam, (answer + 1) * perBeam);
      this.#take(readIds(row, lengths.readInt32LE(4 * answer)), { answer, response }, sink);
    }
  }

  #logprobs(ids: readonly number[], { answer, response }: BeamPlace): IdLogprob[] | undefined {
    const { logprobs: source } = this.#form;
    if (source === undefined) return undefined;
    const { vocabularySize: vocabulary } = this.#inputs;
    const likelihoods =
      source === 'output_log_probs'
        ? chosenLogprobs(response)
        : logitLogprobs(response, { top: this.#request.logprobs ?? 0, vocabulary });
    return ids.map((id, place) => likelihoods.logprob(answer, place, id));
  }

  /** Passes new tokens on, up to one that ends the completion: that one is counted, but is no part of it. */
  #take(ids: number[], { answer, response }: BeamPlace, sink: GenerateSink): void {
    const state = this.#answers[answer] as Answer;
    if (state.isEnded) return;
    if (this.#form.echoesPrompt) dropPrompt(ids, this.#inputs.prompt);
    const end = ids.findIndex(this.#isEnd);
    if (end >= 0) {
      state.isEnded = true;
      ids.length = this.#keeps(ids[end] as number) ? end + 1 : end;
    }
    const isDropped = end === ids.length;
    state.tokens += ids.length;
    this.#remember(state, ids);
    if (ids.length > 0) sink.ids(ids, this.#logprobs(ids, { answer, response }), answer);
    if (isDropped) sink.text('', 1, undefined, answer);
  }

  #remember({ tail }: Answer, ids: readonly number[]): void {
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
      sink.cachedTokens(Math.min(this.#reusedBlocks * (this.#form.blockSize ?? 0), prompt.length));
    this.#answers.forEach((state, index) => sink.finish(this.#reason(state), index));
  }

  #reason({ isEnded, tail, tokens }: Answer): FinishReason {
    if (isEnded || this.#inputs.stopWords.some((word) => endsWith(tail, word))) return 'stop';
    const { maxTokens = Number.POSITIVE_INFINITY } = this.#request.sampling;
    const { context = Number.POSITIVE_INFINITY } = this.#form;
    return tokens >= maxTokens || this.#inputs.prompt.length + tokens >= context ? 'length' : 'stop';
  }
}

/** The beam that tokens belong to, and the response that they came with. */
interface BeamPlace {
  readonly answer: number;
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
