import { describe, expect, it } from 'vitest';
import { StatusError } from '../kserve/status.ts';
import type { GenerateRequest } from './contract.ts';
import { DeclaredInputs } from './declared-inputs.ts';
import { adapterFormat, loraTensors } from './trtllm-lora.ts';

const model = (maxBatchSize: number, types: Record<string, readonly [string, readonly number[]]>) => ({
  name: 'm',
  platform: '',
  backend: 'tensorrtllm',
  max_batch_size: maxBatchSize,
  input: Object.entries(types).map(([name, [type, dims]]) => ({ name, data_type: type, dims, optional: true })),
  output: [],
  parameters: {},
});
const usual = {
  lora_task_id: ['TYPE_UINT64', [1]],
  lora_weights: ['TYPE_FP16', [-1, -1]],
  lora_config: ['TYPE_INT32', [-1, 3]],
} as const satisfies Parameters<typeof model>[1];

const request = (parts: Partial<GenerateRequest>): GenerateRequest => parts as GenerateRequest;
const loraWeights = {
  weights: Buffer.from('003c00400042', 'hex'),
  weightsShape: [1, 3],
  config: [2, 0, 8],
  configShape: [1, 3],
} as const;

describe('adapters of a TensorRT-LLM model', () => {
  it('are sent as its inputs declare', () => {
    expect(adapterFormat(model(1, usual))).toMatchObject({ datatype: 'FP16', columns: 3 });
    const other = { ...usual, lora_weights: ['TYPE_BF16', [-1, -1]], lora_config: ['TYPE_INT32', [-1, -1]] } as const;
    const { columns, datatype } = adapterFormat(model(1, { ...other })) ?? {};
    expect([columns, datatype]).toEqual([undefined, 'BF16']);
    const { lora_config: _, ...without } = usual;
    expect(adapterFormat(model(1, without))).toBeUndefined();
  });

  it('are missing where the engine says so, whatever surrounds it', () => {
    const form = adapterFormat(model(1, usual));
    const text = "the error was 'LoRA task 7 not found in cache. Please send LoRA weights with request'";
    expect(form?.isMissing(new StatusError('UNKNOWN', text))).toBe(true);
    expect(form?.isMissing(new StatusError('UNKNOWN', 'Cache is full. There are no done tasks to evict'))).toBe(false);
  });

  it.each([
    [8, [1]],
    [0, []],
  ])('are written with max_batch_size %i', (size, batch) => {
    const written = loraTensors(
      new DeclaredInputs(model(size, usual)),
      request({ loraTaskId: 2 ** 52 + 1, loraWeights }),
    );
    expect(written.map(({ name, datatype, shape, data }) => [name, datatype, shape, data.toString('hex')])).toEqual([
      ['lora_task_id', 'UINT64', [...batch, 1], '0100000000001000'],
      ['lora_weights', 'FP16', [...batch, 1, 3], '003c00400042'],
      ['lora_config', 'INT32', [...batch, 1, 3], '020000000000000008000000'],
    ]);
  });
});
