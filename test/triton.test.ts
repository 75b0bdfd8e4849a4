import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, inject, it, vi } from 'vitest';
import { directive, exchange } from './support/exchange.ts';
import { startTriton } from './support/triton.ts';

const { httpPort, grpcPort } = inject('triton');

async function json<Shape>(path: string, init?: RequestInit): Promise<Shape> {
  const shape: Shape = JSON.parse(await (await fetch(`http://127.0.0.1:${httpPort}${path}`, init)).text());
  return shape;
}

describe('the tritonserver that the tests share', () => {
  it('is the real one', async () => {
    expect(await json('/v2')).toMatchObject({ name: 'triton', version: '2.51.0' });
  });

  it('has all models of the repository ready', async () => {
    const index = await json<{ name: string; state: string }[]>('/v2/repository/index', { method: 'POST' });
    expect(index.map(({ name, state }) => `${name} ${state}`).toSorted()).toEqual([
      'add-one READY',
      'add-two READY',
      'tokens-toy READY',
      'vllm-2410 READY',
      'vllm-2502 READY',
      'vllm-bos READY',
      'vllm-embed READY',
      'vllm-llama READY',
      'vllm-queue READY',
      'vllm-toy READY',
    ]);
  });

  it('shows a model of the vLLM backend as the real one does', async () => {
    const bool = (name: string) => ({ name, datatype: 'BOOL', shape: [1] });
    const bytes = (name: string, size: number) => ({ name, datatype: 'BYTES', shape: [size] });
    expect(await json('/v2/models/vllm-toy')).toEqual({
      name: 'vllm-toy',
      versions: ['1'],
      platform: 'vllm',
      inputs: [
        bytes('text_input', 1),
        bytes('image', -1),
        bool('stream'),
        bytes('sampling_parameters', 1),
        bool('exclude_input_in_output'),
        bool('return_finish_reason'),
        bool('return_cumulative_logprob'),
        bool('return_logprobs'),
        bool('return_num_input_tokens'),
        bool('return_num_output_tokens'),
        bytes('embedding_request', 1),
      ],
      outputs: [
        bytes('text_output', -1),
        bytes('finish_reason', -1),
        { name: 'cumulative_logprob', datatype: 'FP32', shape: [-1] },
        bytes('logprobs', -1),
        { name: 'num_input_tokens', datatype: 'UINT32', shape: [1] },
        { name: 'num_output_tokens', datatype: 'UINT32', shape: [-1] },
      ],
    });
  });

  it('configures it decoupled, without batches, with all inputs but the prompt optional', async () => {
    const config = await json<{ input: { name: string; optional: boolean }[] }>('/v2/models/vllm-toy/config');
    expect(config).toMatchObject({
      backend: 'vllm',
      max_batch_size: 0,
      model_transaction_policy: { decoupled: true },
      parameters: {},
    });
    expect(config.input.filter(({ optional }) => !optional).map(({ name }) => name)).toEqual(['text_input']);
  });

  it.each([
    ['vllm-2410', ['text_input', 'stream', 'sampling_parameters', 'exclude_input_in_output'], ['text_output']],
    [
      'vllm-2502',
      [
        'text_input',
        'image',
        'stream',
        'sampling_parameters',
        'exclude_input_in_output',
        'return_finish_reason',
        'return_cumulative_logprob',
        'return_logprobs',
        'return_num_input_tokens',
        'return_num_output_tokens',
      ],
      ['text_output', 'finish_reason', 'cumulative_logprob', 'logprobs', 'num_input_tokens', 'num_output_tokens'],
    ],
  ])('shows the tensors of an older backend for %s', async (model, inputs, outputs) => {
    const metadata = await json<Record<'inputs' | 'outputs', { name: string }[]>>(`/v2/models/${model}`);
    expect(metadata.inputs.map(({ name }) => name)).toEqual(inputs);
    expect(metadata.outputs.map(({ name }) => name)).toEqual(outputs);
  });

  it('runs an ensemble and its inner part', async () => {
    const [one, two] = await exchange(grpcPort, [
      { model: 'add-one', inputs: { number: [1, 2] } },
      { model: 'add-two', inputs: { number: [1, 2] } },
    ]);
    expect(one?.messages[0]?.outputs['sum']?.values).toEqual([2, 3]);
    expect(two?.messages[0]?.outputs['sum']?.values).toEqual([3, 4]);
  });
});

describe('a tritonserver of its own', () => {
  const folder = mkdtempSync(join(tmpdir(), 'conch-gate-'));
  const gate = join(folder, 'open');
  afterAll(() => rmSync(folder, { recursive: true }));

  it('loads on demand, as slowly as the test wants, and leaves nothing behind', async () => {
    const triton = await startTriton({
      repository: 'test/models-explicit',
      modelControl: 'explicit',
      loadModels: ['vllm-quick'],
      environment: { CONCH_TEST_LOAD_GATE: gate },
    });
    const own = `http://127.0.0.1:${triton.httpPort}/v2`;
    const respond = async () => {
      const [{ messages } = { messages: [] }] = await exchange(triton.grpcPort, [
        { model: 'slow-start', inputs: { text_input: directive({ answer: 'Hi' }), exclude_input_in_output: true } },
      ]);
      return messages[0]?.error ?? messages[0]?.outputs['text_output']?.values;
    };
    const loading = fetch(`${own}/repository/models/slow-start/load`, { method: 'POST' });
    await vi.waitUntil(() => triton.log().includes('loading: slow-start:1'), { timeout: 60_000 });
    expect(await respond()).toMatch(/slow-start' has no available versions/);
    writeFileSync(gate, '');
    expect((await loading).status).toBe(200);
    expect(await respond()).toEqual(['Hi']);
    expect(triton.log()).toContain("successfully loaded 'slow-start'");
    await triton.stop();
    expect(existsSync(`/proc/${triton.pid}`)).toBe(false);
  });

  it('says what is wrong when it cannot start', async () => {
    await expect(startTriton({ repository: 'test/models-nowhere' })).rejects.toThrow(
      /before it was ready[^]*models-nowhere/,
    );
  });
});
