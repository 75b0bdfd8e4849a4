import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startConch } from '../support/conch.ts';
import { startTriton } from '../support/triton.ts';
import { askClients, askTriton, type ClientModels, type ClientResponses } from './clients.ts';
import { frontendFlags, frontendPorts } from './frontends.ts';

const patience = 240_000;
const folder = mkdtempSync(join(tmpdir(), 'conch-kserve-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the embedded engine', () => {
  const text = (name: string, value: string) => ({ name, datatype: 'BYTES', shape: [1], data: [value] });
  const inputs = [
    text('text_input', 'The sea is'),
    { name: 'stream', datatype: 'BOOL', shape: [1], data: [true] },
    text('sampling_parameters', '{"max_tokens": 3, "temperature": 0, "ignore_eos": true}'),
  ];
  const models = (name: string): ClientModels => ({
    decoupled: { name, inputs, generate: { text_input: 'The sea is', exclude_input_in_output: true } },
    loadable: { name, inputs },
    broken: { name: 'broken', inputs: [] },
  });
  let ours: ClientResponses;
  let theirs: ClientResponses;

  beforeAll(async () => {
    const options = { repository: 'test/models', modelControl: 'explicit', loadModels: ['vllm-toy'] } as const;
    const triton = await startTriton(options);
    theirs = await askTriton(triton, models('vllm-toy'));
    await triton.stop();
    const cache = process.env['CONCH_TEST_CACHE'] ?? '';
    for (const name of ['smollm', 'broken']) mkdirSync(join(folder, 'models', name, '1'), { recursive: true });
    for (const name of ['smollm', 'broken'])
      writeFileSync(join(folder, 'models', name, 'config.pbtxt'), 'backend: "llamacpp"\n');
    symlinkSync(
      join(cache, '..', 'models', 'SmolLM2-135M-Instruct.Q4_1.gguf'),
      join(folder, 'models/smollm/1/model.gguf'),
    );
    writeFileSync(join(folder, 'models/broken/1/model.gguf'), 'GGUF, but not for long');
    const conch = await startConch({
      flags: [
        '--model-repository',
        join(folder, 'models'),
        '--model-control-mode',
        'explicit',
        '--load-model',
        'smollm',
        ...frontendFlags,
      ],
      readyMilliseconds: 120_000,
    });
    ours = await askClients(await frontendPorts(conch), models('smollm'));
    await conch.stop();
  }, patience);

  const clients = ['grpc', 'http', 'grpc.aio', 'http.aio'] as const;
  const named = (responses: ClientResponses, client: string, name: string) =>
    JSON.parse(JSON.stringify(responses[client]?.[name] ?? null).replaceAll('vllm-toy', 'smollm'));

  it.each(clients)('loads, unloads and tells of itself as Triton does (%s)', (client) => {
    const cases = [
      'server live',
      'decoupled ready',
      'decoupled metadata of version 77',
      'is_model_ready of an unknown model',
      'get_model_metadata of an unknown model',
      'get_model_config of an unknown model',
      'load of an unknown model',
      'unload of an unknown model',
      'unload',
      'ready after unload',
      'infer after unload',
      'load',
      'ready after load',
      'infer after load',
      'infer of a decoupled model',
    ];
    for (const name of cases) expect.soft(named(ours, client, name), name).toEqual(named(theirs, client, name));
  });

  it.each(['grpc', 'grpc.aio'])('refuses what Triton refuses, in its words (%s)', (client) => {
    const cases = ['an unknown model', 'an unknown version', 'a wrong type', 'a wrong shape', 'an unexpected input'];
    for (const name of cases)
      expect.soft(named(ours, client, `stream of ${name}`), name).toEqual(named(theirs, client, `stream of ${name}`));
  });

  it('streams a response per token', () => {
    for (const client of ['grpc', 'grpc.aio']) {
      const responses = ours[client]?.['stream'] as { values: { text_output: string[] } }[];
      expect(responses.map(({ values }) => values.text_output.length)).toEqual([1, 1, 1]);
      expect(ours[client]?.['stream of several']).toHaveLength(9);
    }
    expect(ours['generate']?.['generate']).toMatchObject({ status: 200 });
  });

  it('says why a model does not load', () => {
    for (const client of clients) {
      expect(ours[client]?.['failed load']).toMatchObject({
        error: expect.stringMatching(
          /^load failed for model 'broken': version 1 is at UNAVAILABLE state: Internal: .* has GGUF version/,
        ),
      });
    }
  });
});
