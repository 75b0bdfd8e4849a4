import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { vllmContract } from '../contracts/vllm.ts';
import { failedInference } from '../kserve/failed-inference.ts';
import type { InferenceServer, InferRequest, ResponseSink } from '../kserve/server.ts';
import type { ServerGroup } from '../kserve/server-group.ts';
import { StatusError } from '../kserve/status.ts';
import { readText } from '../kserve/tensors.ts';
import { adapterQuery, adaptersInRepository } from './query-adapters.ts';

const config = { name: 'm', platform: '', backend: 'vllm', max_batch_size: 0, input: [], output: [], parameters: {} };

/** A model whose server answers with these errors, one after the other. */
function modelThatSays(...texts: string[]) {
  const requests: InferRequest[] = [];
  const stream = (request: InferRequest, sink: ResponseSink) =>
    failedInference(new StatusError('UNKNOWN', texts[requests.push(request) - 1] ?? 'asked too often'), sink);
  const server = { stream } as unknown as InferenceServer;
  const group: ServerGroup = {
    servers: [server],
    stream: (begin, sink) => begin(server, { timeout: undefined }, sink),
    again: async () => false,
  };
  return { requests, ask: adapterQuery({ model: 'm', version: '2', contract: vllmContract(config), group }) };
}

describe('adapterQuery', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each([
    ["LoRA x is not supported, we currently support ['a', 'b c']", ['a', 'b c']],
    ["LoRA x is not supported, we currently support [\"it's\", 'a\\\\b']", ["it's", 'a\\b']],
    ['LoRA x is not supported, we currently support []', []],
    ['LoRA feature is not enabled.', []],
    ['Model is unavailable due to unhealthy vLLM engine', undefined],
  ])('reads %s', async (text, names) => {
    expect(await modelThatSays(text).ask()).toEqual(names);
  });

  it('asks for an adapter that cannot be, and for as little as possible', async () => {
    const { requests, ask } = modelThatSays('LoRA feature is not enabled.');
    await ask();
    const tensor = requests[0]?.inputs.find(({ name }) => name === 'sampling_parameters');
    expect([requests[0]?.model, requests[0]?.version]).toEqual(['m', '2']);
    expect(JSON.parse(readText(tensor?.data ?? Buffer.alloc(0)))).toEqual({
      max_tokens: 1,
      lora_name: 'conch asks which adapters there are',
    });
  });

  it('asks once for many, again after five minutes, and sooner where it learnt nothing', async () => {
    vi.useFakeTimers();
    const listing = (name: string) => `LoRA x is not supported, we currently support ['${name}']`;
    const { ask, requests } = modelThatSays('busy', listing('a'), listing('b'));
    expect(await Promise.all([ask(), ask()])).toEqual([undefined, undefined]);
    expect([await ask(), requests.length]).toEqual([undefined, 1]);
    vi.advanceTimersByTime(30_001);
    expect(await ask()).toEqual(['a']);
    vi.advanceTimersByTime(299_999);
    expect(await ask()).toEqual(['a']);
    vi.advanceTimersByTime(2);
    expect([await ask(), requests.length]).toEqual([['b'], 3]);
  });
});

describe('adaptersInRepository', () => {
  const folder = mkdtempSync(join(tmpdir(), 'conch-repository-'));
  const write = (model: string, files: Record<string, string>): void => {
    mkdirSync(join(folder, model, '1'), { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, model, '1', name), text);
  };

  it('reads multi_lora.json where model.json says that it counts', async () => {
    write('on', { 'model.json': '{"enable_lora":"True"}', 'multi_lora.json': '{"a":"/a","b":"/b"}' });
    write('off', { 'model.json': '{"enable_lora":false}', 'multi_lora.json': '{"a":"/a"}' });
    write('broken', { 'model.json': '{"enable_lora":true}', 'multi_lora.json': '{' });
    const names = await Promise.all(
      ['on', 'off', 'broken', 'nothing'].map((model) =>
        adaptersInRepository([join(folder, 'none'), folder], { model, version: '1' }),
      ),
    );
    rmSync(folder, { recursive: true });
    expect(names).toEqual([['a', 'b'], [], undefined, undefined]);
  });
});
