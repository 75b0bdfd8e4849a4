import { ApiError } from '../errors.ts';
import type { InferResponse } from '../kserve/server.ts';
import { floatSizes, readFloats } from '../kserve/tensors.ts';
import type { IdLogprob } from './contract.ts';

/** What OpenAI writes for a logprob that is not finite. */
const none = -9999;

/** Which logprob to compute: that of a chosen token, with `top` alternatives. */
interface LogprobOptions {
  readonly id: number;
  readonly top: number;
  /** Ids from here on fill up the engine's vocabulary: no token has them. */
  readonly vocabulary: number;
}

/** The logprob of one token by the logits of its position, and the likeliest tokens there. */
export function logprobOf(logits: Float32Array, { id, top, vocabulary }: LogprobOptions): IdLogprob {
  const size = Math.min(logits.length, vocabulary);
  let highest = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < size; at++) if ((logits[at] as number) > highest) highest = logits[at] as number;
  let sum = 0;
  for (let at = 0; at < size; at++) sum += Math.exp((logits[at] as number) - highest);
  const shift = highest + Math.log(sum);
  const logprob = (at: number): number => finite((logits[at] ?? Number.NaN) - shift);
  const best = top > 0 ? likeliest(logits.subarray(0, size), top) : [];
  return { id, logprob: logprob(id), top: best.map((at) => ({ id: at, logprob: logprob(at) })) };
}

/** The indices of the highest logits, the highest first; of equal ones the lower id. */
function likeliest(logits: Float32Array, count: number): number[] {
  const best: number[] = [];
  for (let at = 0; at < logits.length; at++) {
    const logit = logits[at] as number;
    const last = best.length === count ? (logits[best[count - 1] as number] as number) : Number.NEGATIVE_INFINITY;
    if (!(logit > last)) continue;
    if (best.length === count) best.pop();
    let to = best.length;
    while (to > 0 && (logits[best[to - 1] as number] as number) < logit) to--;
    best.splice(to, 0, at);
  }
  return best;
}

/** Likelihoods that came with a response, by beam and by position in it. */
export interface Likelihoods {
  logprob(beam: number, position: number, id: number): IdLogprob;
}

/** The logprobs that the engine computed of the tokens it chose. */
export function chosenLogprobs(response: InferResponse): Likelihoods {
  const { data, datatype, shape } = outputOf(response, 'output_log_probs');
  const floats = readFloats(data, datatype) ?? new Float32Array();
  const perBeam = shape.at(-1) ?? floats.length;
  return {
    logprob: (beam, position, id) => ({
      id,
      logprob: finite(floats[beam * perBeam + position] ?? Number.NaN),
      top: [],
    }),
  };
}

/** Logprobs computed here from the logits of every generated token. */
export function logitLogprobs(
  response: InferResponse,
  { top, vocabulary }: { readonly top: number; readonly vocabulary: number },
): Likelihoods {
  const { data, datatype, shape } = outputOf(response, 'generation_logits');
  const row = (shape.at(-1) ?? 0) * (floatSizes[datatype] ?? 0);
  // In a stream the dimension of beams, of size one, comes after that of positions; the rows of one beam are the same.
  const perBeam = shape.at(-2) ?? 0;
  return {
    logprob: (beam, position, id) => {
      const from = (beam * perBeam + position) * row;
      const logits = readFloats(data.subarray(from, from + row), datatype) ?? new Float32Array();
      return logprobOf(logits, { id, top, vocabulary });
    },
  };
}

function outputOf(response: InferResponse, name: string) {
  const data = response.raw(name);
  const description = response.outputs.find((output) => output.name === name);
  if (!data || !description)
    throw new ApiError('backend_error', `The engine returned no ${name}, which logprobs are computed from.`);
  return { data, datatype: description.datatype, shape: description.shape };
}

function finite(logprob: number): number {
  return Number.isFinite(logprob) ? logprob : none;
}
