import type { ModelConfig } from '../kserve/messages.ts';
import { boolTensor, type Tensor } from '../kserve/tensors.ts';
import type { GenerateRequest } from './contract.ts';

/** The optional outputs of a request, as flags among its inputs and as names among its outputs. */
export interface VllmReturns {
  readonly inputs: readonly Tensor[];
  readonly outputs: readonly string[];
}

/** Streams that request counts before responses are taken to be one token each. */
const firstStreams = 8;

/** The same after a response was seen that was not one token. */
const laterStreams = 256;

/**
 * Whether each response of a model's streams is one token. An engine may put several into one: with speculative decoding,
 * with a stream interval, or while the backend's event loop lags.
 */
export class ResponseTokens {
  #streamsToWatch = firstStreams;

  /** Whether that was true for the last streams that requested counts. */
  get areSingle(): boolean {
    return this.#streamsToWatch === 0;
  }

  /** A response of a stream has this count. */
  saw(tokens: number): void {
    if (tokens !== 1) this.#streamsToWatch = laterStreams + 1;
  }

  /** A stream that requested counts has ended. */
  ended(): void {
    if (this.#streamsToWatch > 0) this.#streamsToWatch--;
  }
}

/**
 * Decides which outputs each request has. The backend makes, and Triton copies, every output for every response, so a
 * stream requests only those that it needs; other requests have all. The finish reason is always needed: nothing else
 * tells `stop` from `length` at the limit, or a generation that the engine aborted from one that ended.
 * @param tokens Left out: every request has all outputs.
 */
export function vllmReturns(
  config: ModelConfig,
  tokens: ResponseTokens | undefined,
): (request: GenerateRequest) => VllmReturns {
  const inputs = new Set(config.input.map(({ name }) => name));
  const outputs = new Set(config.output.map(({ name }) => name));
  const known = new Map<number, VllmReturns>();
  return (request) => {
    const needsAll = !tokens || !request.stream;
    const flags = {
      finish_reason: true,
      num_input_tokens: needsAll || (request.counts?.prompt ?? true),
      num_output_tokens: needsAll || (request.counts?.completion ?? true) || !tokens.areSingle,
      logprobs: request.logprobs !== undefined,
    };
    const key = (flags.num_input_tokens ? 1 : 0) + (flags.num_output_tokens ? 2 : 0) + (flags.logprobs ? 4 : 0);
    const found = known.get(key);
    if (found) return found;
    const names = Object.entries(flags)
      .filter(([name, isRequested]) => isRequested && inputs.has(`return_${name}`) && outputs.has(name))
      .map(([name]) => name);
    const made: VllmReturns = {
      inputs: names.map((name) => boolTensor(`return_${name}`, true)),
      outputs: ['text_output', ...names],
    };
    known.set(key, made);
    return made;
  };
}
