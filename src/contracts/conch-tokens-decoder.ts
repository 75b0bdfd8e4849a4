import type { InferResponse } from '../kserve/server.ts';
import type {
  EngineReport,
  GenerateDecoder,
  GenerateRequest,
  GenerateSink,
  IdLogprob,
  PromptLogprob,
  RankedLogprob,
} from './contract.ts';
import { lowestLogprob } from './lowest-logprob.ts';
import { vllmFinishReason } from './vllm-finish-reason.ts';

interface DecoderOptions {
  readonly speaksTokens: boolean;
}

/** Reads the responses of one request to Conch's own vLLM model: each has all tokens since the one before. */
export class ConchTokensDecoder implements GenerateDecoder {
  readonly #request: GenerateRequest;
  readonly #speaksTokens: boolean;
  #isStarted = false;
  /** How many choices have not ended. */
  #unfinished: number;

  constructor(request: GenerateRequest, { speaksTokens }: DecoderOptions) {
    this.#request = request;
    this.#speaksTokens = speaksTokens;
    this.#unfinished = request.beams?.completions ?? 1;
  }

  push(response: InferResponse, sink: GenerateSink): void {
    if (this.#unfinished === 0) return;
    const index = this.#request.beams ? (response.uint32('index') ?? 0) : undefined;
    const ids = readIds(response.raw('token_ids'));
    if (!this.#isStarted) this.#begin(response, sink);
    const reason = response.text('finish_reason');
    const end = reason === undefined ? undefined : vllmFinishReason(reason);
    if (this.#speaksTokens) {
      // A response that no stop sequence ended has the token that did: EOS or a stop token.
      const endsByToken = reason === 'stop' && response.raw('stop_string') === undefined;
      const dropsLast = endsByToken && !this.#request.sampling.includeStopText;
      this.#pushIds(ids, { response, dropsLast, index }, sink);
    } else sink.text(response.text('text') ?? '', ids.length, undefined, index);
    if (end === undefined) return;
    this.#unfinished--;
    if (this.#unfinished === 0) report(response, sink);
    sink.finish(end, index);
  }

  #begin(response: InferResponse, sink: GenerateSink): void {
    this.#isStarted = true;
    const usage = readIds(response.raw('usage'));
    const [promptTokens = -1] = usage;
    if (promptTokens >= 0) sink.promptTokens(promptTokens);
    if (this.#request.promptLogprobs !== undefined) sink.promptLogprobs(promptLogprobs(response));
  }

  /** The token that ended the response is counted, but is no part of it. */
  #pushIds(ids: number[], { response, dropsLast, index }: ReadResponse, sink: GenerateSink): void {
    const logprobs = this.#request.logprobs === undefined ? undefined : idLogprobs(response, ids.length);
    if (!dropsLast || ids.length === 0) {
      if (ids.length > 0) sink.ids(ids, logprobs, index);
      return;
    }
    const last = ids.pop() as number;
    logprobs?.pop();
    if (ids.length > 0) sink.ids(ids, logprobs, index);
    sink.endToken(last, index);
  }
}

interface ReadResponse {
  readonly response: InferResponse;
  /** Whether the last token is no part of the completion. */
  readonly dropsLast: boolean;
  /** The number of the completion; undefined without beam search. */
  readonly index: number | undefined;
}

/** What the engine says at the end: cached tokens, drafts and times. */
function report(response: InferResponse, sink: GenerateSink): void {
  const [, , cached = -1, proposed = -1, accepted = -1] = readIds(response.raw('usage'));
  if (cached >= 0) sink.cachedTokens(cached);
  const drafts = proposed > 0 && accepted >= 0 ? { proposed, accepted } : undefined;
  const times = timesOf(response.raw('times'));
  if (times || drafts) sink.engineReport({ times, drafts });
}

/** The times of the engine in milliseconds, if all of them are known. */
function timesOf(data: Buffer | undefined): EngineReport['times'] {
  if (!data || data.length < 32) return undefined;
  const [queue, prefill, decode] = [8, 16, 24].map((at) => data.readDoubleLE(at) * 1000);
  if (queue === undefined || prefill === undefined || decode === undefined) return undefined;
  return Number.isNaN(queue + prefill + decode) ? undefined : { queue, prefill, decode };
}

const noIds = Buffer.alloc(0);

function readIds(data: Buffer = noIds): number[] {
  const ids: number[] = [];
  for (let at = 0; at + 4 <= data.length; at += 4) ids.push(data.readInt32LE(at));
  return ids;
}

/** A table with one row per token: its own logprob, then those of the likeliest tokens. */
class LogprobTable {
  readonly columns: number;
  readonly #logprobs: Buffer;
  readonly #ids: Buffer;
  readonly #ranks: Buffer | undefined;

  constructor(response: InferResponse, name: 'logprob' | 'prompt_logprob', rows: number | undefined) {
    this.#logprobs = response.raw(`${name}s`) ?? noIds;
    this.#ids = response.raw(`${name}_ids`) ?? noIds;
    this.#ranks = response.raw(`${name}_ranks`);
    const shape = rows === undefined ? response.outputs.find((output) => output.name === `${name}s`)?.shape : undefined;
    const count = rows ?? shape?.[0] ?? 0;
    this.columns = count === 0 ? 0 : Math.floor(this.#ids.length / 4 / count);
    this.rows = count;
  }

  readonly rows: number;

  at(row: number, column: number): RankedLogprob {
    const offset = 4 * (row * this.columns + column);
    return {
      id: this.#ids.readInt32LE(offset),
      logprob: Math.max(this.#logprobs.readFloatLE(offset), lowestLogprob),
      rank: this.#ranks?.readInt32LE(offset) ?? 0,
    };
  }

  /** The columns after the first that have a token. */
  top(row: number): RankedLogprob[] {
    const top: RankedLogprob[] = [];
    for (let column = 1; column < this.columns; column++) {
      const entry = this.at(row, column);
      if (entry.id >= 0) top.push(entry);
    }
    return top;
  }
}

function idLogprobs(response: InferResponse, count: number): IdLogprob[] {
  const table = new LogprobTable(response, 'logprob', count);
  if (table.columns === 0) return [];
  return Array.from({ length: count }, (_, row) => {
    const { id, logprob } = table.at(row, 0);
    return { id, logprob, top: table.top(row).map((entry) => ({ id: entry.id, logprob: entry.logprob })) };
  });
}

function promptLogprobs(response: InferResponse): PromptLogprob[] {
  const table = new LogprobTable(response, 'prompt_logprob', undefined);
  return Array.from({ length: table.rows }, (_, row) => {
    const own = table.at(row, 0);
    return { id: own.id, own: Number.isNaN(own.logprob) ? undefined : own, top: table.top(row) };
  });
}
