import { describe, expect, it } from 'vitest';
import { LocalResponse } from '../kserve/local-response.ts';
import type { ModelConfig } from '../kserve/messages.ts';
import { numberTensor, type Tensor } from '../kserve/tensors.ts';
import { detectRows } from './detect-rows.ts';
import type { InputRow, RowsContract } from './row-contracts.ts';

const tensor = (name: string, type: string, dims: number[]) => ({ name, data_type: `TYPE_${type}`, dims });

/** What is found for a model of ids and a mask with these dimensions. */
function contractOf(most: number, dims: number[], output: ModelConfig['output'][number]): RowsContract {
  const input = ['input_ids', 'attention_mask'].map((name) => tensor(name, 'INT64', dims));
  const config = {
    name: 'm',
    platform: '',
    backend: 'b',
    max_batch_size: most,
    input,
    output: [output],
    parameters: {},
  };
  const { embedding, rerank } = detectRows(config, {}).rows;
  return (embedding ?? rerank) as RowsContract;
}

const row = (length: number): InputRow => ({ ids: new Int32Array(length).fill(2) });
const respond = (...outputs: Tensor[]) =>
  new LocalResponse({ model: 'm', version: '1', id: 'i', outputs, final: true });

describe('tensorRows', () => {
  it('refuses a row that is longer than the input, instead of writing it into the next', () => {
    const contract = contractOf(8, [4], tensor('sentence_embedding', 'FP32', [2]));
    const sent = (rows: InputRow[]) => () => contract.encode({ id: 'i', model: 'm', version: '1', rows });
    expect(sent([row(2), row(8)])).toThrow(
      expect.objectContaining({ row: 1, message: 'has 8 tokens; this model takes 4' }),
    );
    expect(sent([row(2), row(4)])().inputs.map(({ shape }) => shape)).toEqual([
      [2, 4],
      [2, 4],
    ]);
  });

  it('reads one figure for each row where the output has no dimension but that of the rows', () => {
    const contract = contractOf(0, [-1, -1], tensor('scores', 'FP32', [-1]));
    const scores = numberTensor('scores', { datatype: 'FP32', values: [1, 2, 3], shape: [3] });
    expect(contract.width).toBe(1);
    expect([...contract.decode(respond(scores), [row(1), row(1), row(1)])]).toEqual(
      [1, 2, 3].map((score) => ({ figures: Float32Array.of(score), width: 1 })),
    );
    expect(() => contract.decode(respond(scores), [row(1), row(1)])).toThrow('of shape [3] for 2 texts');
  });

  it.each([0, 1])('reads the vectors of tokens at any place in memory, whole ones as copies: %i', (offset) => {
    const shape = [2, 2, 2];
    const { data } = numberTensor('x', { datatype: 'FP32', values: [1, 2, 3, 4, 5, 6, 7, 8], shape });
    const moved = Buffer.from(new ArrayBuffer(40)).subarray(offset, offset + 32);
    data.copy(moved);
    const rows = [row(2), row(1)];
    const perToken = contractOf(8, [-1], tensor('last_hidden_state', 'FP32', [-1, 2]));
    const states = [
      ...perToken.decode(respond({ name: 'last_hidden_state', datatype: 'FP32', shape, data: moved }), rows),
    ];
    expect(states).toEqual([
      { figures: Float32Array.of(1, 2, 3, 4), width: 2 },
      { figures: Float32Array.of(5, 6, 7, 8), width: 2 },
    ]);
    expect(states[0]?.figures.buffer === moved.buffer).toBe(offset === 0);
    const whole = contractOf(8, [-1], tensor('sentence_embedding', 'FP32', [4]));
    const vectors = [
      ...whole.decode(respond({ name: 'sentence_embedding', datatype: 'FP32', shape: [2, 4], data: moved }), rows),
    ];
    expect(vectors.map(({ figures }) => [figures.buffer === moved.buffer, ...figures])).toEqual([
      [false, 1, 2, 3, 4],
      [false, 5, 6, 7, 8],
    ]);
  });

  it('says how many figures a row brings', () => {
    expect(contractOf(8, [-1], tensor('last_hidden_state', 'FP32', [-1, 384])).figuresPerRow?.(10)).toBe(3840);
    expect(contractOf(8, [128], tensor('last_hidden_state', 'FP32', [128, 384])).figuresPerRow?.(10)).toBe(128 * 384);
    expect(contractOf(8, [-1], tensor('sentence_embedding', 'FP32', [384])).figuresPerRow).toBeUndefined();
  });
});
