import { ApiError } from '../errors.ts';
import type { ModelConfig } from '../kserve/messages.ts';
import type { InferResponse } from '../kserve/server.ts';
import { boolTensor, textTensor } from '../kserve/tensors.ts';
import { type EmbeddingContract, type InputRow, RowError, type RowFigures, type RowsRequest } from './row-contracts.ts';
import { explainVllm } from './vllm-errors.ts';

/**
 * The embeddings of Triton's vLLM backend since 25.11, and of the embedded engine. Every model of the backend declares
 * the tensor; one that generates text refuses the request.
 */
export function vllmEmbedding(config: ModelConfig, longest: number | undefined): EmbeddingContract | undefined {
  const inputs = new Set(config.input.map(({ name }) => name));
  if (!inputs.has('embedding_request')) return undefined;
  const counts = inputs.has('return_num_input_tokens') && config.output.some(({ name }) => name === 'num_input_tokens');
  const outputs = ['text_output', ...(counts ? ['num_input_tokens'] : [])];
  return {
    kind: 'vllm',
    takes: 'either',
    // The backend refuses lists of texts.
    mostTogether: 1,
    counts,
    width: undefined,
    longest,
    inputs: ['embedding_request', ...(counts ? ['return_num_input_tokens'] : [])],
    outputs,
    isPooledHere: false,
    pooling: undefined,
    normalize: undefined,
    prompt: undefined,
    encode: ({ id, model, version, rows }: RowsRequest) => ({
      id,
      model,
      version,
      parameters: { triton_enable_empty_final_response: true },
      inputs: [
        textTensor('embedding_request', [JSON.stringify({ input: inputOf(rows[0]) })]),
        ...(counts ? [boolTensor('return_num_input_tokens', true)] : []),
      ],
      outputs,
    }),
    decode: (response) => [decode(response)],
    explain: (error) =>
      /out of vocabulary/i.test(error.message)
        ? new ApiError('invalid_request', "A token id is not in this model's vocabulary.", { param: 'prompt' })
        : explainVllm(error),
  };
}

function inputOf(row: InputRow | undefined): string | number[] {
  if (row && 'ids' in row) return Array.from(row.ids);
  return row?.texts[0] ?? '';
}

function decode(response: InferResponse): RowFigures {
  let vector: unknown;
  try {
    vector = JSON.parse(response.text('text_output') ?? '');
  } catch {
    // NaN is no JSON.
    throw new RowError(0, 'the model returned a vector that cannot be read');
  }
  if (!Array.isArray(vector) || !vector.every((figure) => typeof figure === 'number'))
    throw new RowError(0, 'the model returned no vector of numbers');
  const tokens = response.uint32('num_input_tokens');
  return { figures: Float32Array.from(vector), width: vector.length, ...(tokens === undefined ? {} : { tokens }) };
}
