import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { textTensor } from '../../src/kserve/tensors.ts';
import { EmbeddedServer } from '../../src/servers/embedded/embedded-server.ts';
import { loadEngine } from '../../src/servers/embedded/install/install-engine.ts';
import { pulled } from '../support/pulled-responses.ts';
import { ask, cacheDir, collect, modelFile, modelName, request, startEmbedded } from './support.ts';

const folder = mkdtempSync(join(tmpdir(), 'conch-embedded-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the repository of an embedded server', () => {
  it('loads, unloads and loads again, frees the memory, and counts', async () => {
    const progress: number[] = [];
    const server = await startEmbedded(
      { contextLength: 4096 },
      { loads: false, onProgress: (_, fraction) => progress.push(fraction) },
    );
    expect(await server.call('RepositoryIndex', {})).toEqual({
      models: [{ name: modelName, version: '', state: '', reason: '' }],
    });
    expect(await server.call('ModelReady', { name: modelName })).toEqual({ ready: false });
    await server.call('RepositoryModelLoad', { model_name: modelName });
    expect(progress.at(-1)).toBe(1);
    expect(await server.call('RepositoryIndex', { ready: true })).toEqual({
      models: [{ name: modelName, version: '1', state: 'READY', reason: '' }],
    });
    await ask(server, { sampling: { max_tokens: 4 } });
    await expect(ask(server, { sampling: { max_tokens: 0 } })).rejects.toThrow('max_tokens');
    const {
      model_stats: [statistics],
    } = await server.call('ModelStatistics', { name: modelName });
    expect(statistics).toMatchObject({ name: modelName, version: '1', inference_count: 1, execution_count: 1 });
    expect(statistics?.inference_stats).toMatchObject({
      success: { count: 1 },
      fail: { count: 1 },
      queue: { count: 1 },
      compute_infer: { count: 1 },
    });
    expect(statistics?.inference_stats?.['compute_infer']?.ns).toBeGreaterThan(1e6);
    const loaded = process.memoryUsage().rss;
    await server.call('RepositoryModelUnload', { model_name: modelName });
    expect(loaded - process.memoryUsage().rss).toBeGreaterThan(250 * 2 ** 20);
    expect(await server.call('RepositoryIndex', {})).toEqual({
      models: [{ name: modelName, version: '1', state: 'UNAVAILABLE', reason: 'unloaded' }],
    });
    await expect(ask(server, {})).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: `Request for unknown model: '${modelName}' has no available versions`,
    });
    await server.call('RepositoryModelLoad', { model_name: modelName });
    expect((await ask(server, { sampling: { max_tokens: 4 } })).outputTokens).toBe(4);
    await server.close();
  });

  it('lets running answers end before the memory goes', async () => {
    const server = await startEmbedded();
    const running = ask(server, { sampling: { max_tokens: 40, ignore_eos: true } });
    await new Promise((resolve) => setTimeout(resolve, 150));
    await server.call('RepositoryModelUnload', { model_name: modelName });
    expect((await server.call('RepositoryIndex', {})).models[0]?.state).toBe('UNLOADING');
    expect((await running).outputTokens).toBe(40);
    await server.close();
  });

  it('marks a model that cannot be loaded with the reason, in one line, while the others serve', async () => {
    const whole = readFileSync(await modelFile());
    const files = {
      text: writeFile('text.gguf', Buffer.from('this is no model')),
      short: writeFile('short.gguf', whole.subarray(0, 40_000_000)),
      header: writeFile('header.gguf', whole.subarray(0, 400_000)),
      missing: join(folder, 'missing.gguf'),
    };
    const server = new EmbeddedServer({
      models: [
        ...Object.entries(files).map(([name, file]) => ({ name, file })),
        { name: 'good', file: await modelFile(), contextLength: 256 },
      ],
      engine: { load: () => loadEngine({ cacheDir }) },
      version: '0.0.0',
    });
    const errors = await server.loadAll();
    expect(errors.map(({ name, error }) => [name, error.message])).toEqual([
      ['text', `${files.text} is not a GGUF file.`],
      [
        'short',
        `${files.short} is truncated: it ends after 40000000 bytes, in the middle of the model. Download it again.`,
      ],
      [
        'header',
        `${files.header} is truncated: it ends after 400000 bytes, in the middle of the model. Download it again.`,
      ],
      ['missing', `${files.missing} does not exist.`],
    ]);
    const { models } = await server.call('RepositoryIndex', {});
    expect(models.map(({ name, state }) => [name, state])).toEqual([
      ['text', 'UNAVAILABLE'],
      ['short', 'UNAVAILABLE'],
      ['header', 'UNAVAILABLE'],
      ['missing', 'UNAVAILABLE'],
      ['good', 'READY'],
    ]);
    await expect(server.call('RepositoryModelLoad', { model_name: 'text' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: `load failed for model 'text': version 1 is at UNAVAILABLE state: Internal: ${files.text} is not a GGUF file.;\n`,
    });
    expect((await ask(server, { model: 'good', sampling: { max_tokens: 2 } })).outputTokens).toBe(2);
    await server.close();
  });

  it('refuses a model that is larger than the memory before it is loaded', async () => {
    const file = await modelFile();
    for (const [available, advice] of [
      [50 * 2 ** 20, 'Use a smaller model'],
      [200 * 2 ** 20, 'Lower its context_length'],
    ] as const) {
      const server = await startEmbedded({}, { loads: false, availableMemory: () => available });
      const [error] = await server.loadAll();
      expect(error?.error.message).toMatch(
        new RegExp(`^${file.replaceAll('.', '\\.')} needs 0\\.09 GiB for its weights and .* are free\\. ${advice}`),
      );
      await server.close();
    }
  });

  it('refuses two models of one name', async () => {
    const file = await modelFile();
    const options = {
      models: [
        { name: 'a', file },
        { name: 'a', file },
      ],
      engine: { load: () => loadEngine({ cacheDir }) },
      version: '0',
    };
    expect(() => new EmbeddedServer(options)).toThrow('Two models are named a. Give each model a name of its own.');
  });
});

describe("Triton's own words", () => {
  it('come for unknown models and versions, wrong inputs, and calls that are not offered', async () => {
    const server = await startEmbedded({ contextLength: 256 });
    const { inputs } = request({});
    const stream = (changes: object) => collect(pulled(server, { model: modelName, id: 'x', inputs, ...changes }));
    const unknown = { code: 'NOT_FOUND', message: "Request for unknown model: 'nope' is not found" };
    const version = { code: 'NOT_FOUND', message: `Request for unknown model: '${modelName}' version 7 is not found` };
    const number = {
      code: 'INVALID_ARGUMENT',
      message:
        "failed to get model version from specified version string 'abc' (details: stol), version should be an integral value > 0",
    };
    await expect(stream({ model: 'nope' })).rejects.toMatchObject(unknown);
    await expect(stream({ version: '7' })).rejects.toMatchObject(version);
    await expect(stream({ version: 'abc' })).rejects.toMatchObject(number);
    for (const method of ['ModelMetadata', 'ModelConfig'] as const) {
      await expect(server.call(method, { name: 'nope' })).rejects.toMatchObject(unknown);
      await expect(server.call(method, { name: modelName, version: '7' })).rejects.toMatchObject(version);
      await expect(server.call(method, { name: modelName, version: 'abc' })).rejects.toMatchObject(number);
    }
    expect(await server.call('ModelReady', { name: 'nope' })).toEqual({ ready: false });
    expect(await server.call('ModelReady', { name: modelName, version: '7' })).toEqual({ ready: false });
    await expect(server.infer({ model: modelName, id: '', inputs: [] })).rejects.toMatchObject({
      code: 'UNIMPLEMENTED',
      message: "ModelInfer RPC doesn't support models with decoupled transaction policy",
    });
    await expect(server.infer({ model: 'nope', id: '', inputs: [] })).rejects.toMatchObject(unknown);
    await expect(stream({ inputs: [...inputs, textTensor('foo', ['x'])] })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: `unexpected inference input 'foo' for model '${modelName}'`,
    });
    await expect(stream({ inputs: inputs.slice(1) })).rejects.toMatchObject({
      message: expect.stringMatching(
        /expected number of inputs between 1 and 11 but got 5 inputs .*missing required input\(s\) \['text_input'\]/,
      ),
    });
    await expect(server.call('ModelStatistics', { name: 'nope' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: "requested model 'nope' is not available",
    });
    await expect(server.call('RepositoryModelLoad', { model_name: 'nope' })).rejects.toMatchObject({
      code: 'INTERNAL',
      message: "failed to load 'nope', failed to poll from model repository",
    });
    await server.call('RepositoryModelUnload', { model_name: 'nope' });
    await expect(server.call('RepositoryIndex', { repository_name: 'r' })).rejects.toMatchObject({
      code: 'UNIMPLEMENTED',
    });
    for (const method of ['SystemSharedMemoryStatus', 'CudaSharedMemoryStatus', 'TraceSetting', 'LogSettings'] as const)
      await expect(server.call(method, {})).rejects.toMatchObject({
        code: 'UNIMPLEMENTED',
        message: expect.stringContaining('is not supported by the embedded engine'),
      });
    await server.close();
  });

  it('describe the model with the tensors of the vLLM backend', async () => {
    const server = await startEmbedded();
    const metadata = await server.call('ModelMetadata', { name: modelName });
    expect(metadata).toMatchObject({ name: modelName, versions: ['1'], platform: 'llamacpp' });
    expect(metadata.inputs.map(({ name, datatype, shape }) => `${name} ${datatype} ${shape.join()}`)).toEqual([
      'text_input BYTES 1',
      'image BYTES -1',
      'stream BOOL 1',
      'sampling_parameters BYTES 1',
      'exclude_input_in_output BOOL 1',
      'return_finish_reason BOOL 1',
      'return_cumulative_logprob BOOL 1',
      'return_logprobs BOOL 1',
      'return_num_input_tokens BOOL 1',
      'return_num_output_tokens BOOL 1',
      'embedding_request BYTES 1',
    ]);
    expect(metadata.outputs.map(({ name, datatype, shape }) => `${name} ${datatype} ${shape.join()}`)).toEqual([
      'text_output BYTES -1',
      'finish_reason BYTES -1',
      'cumulative_logprob FP32 -1',
      'logprobs BYTES -1',
      'num_input_tokens UINT32 1',
      'num_output_tokens UINT32 -1',
    ]);
    const { config } = await server.call('ModelConfig', { name: modelName });
    expect(config).toMatchObject({
      backend: 'llamacpp',
      max_batch_size: 0,
      model_transaction_policy: { decoupled: true },
    });
    expect(config.parameters['context_length']?.string_value).toBe('1024');
    expect(config.parameters['bos_token']?.string_value).toBe('<|im_start|>');
    expect(config.parameters['eos_token']?.string_value).toBe('<|im_end|>');
    expect(config.parameters['chat_template']?.string_value).toContain('add_generation_prompt');
    expect(await server.call('ServerMetadata', {})).toMatchObject({
      name: 'conch',
      extensions: expect.arrayContaining(['statistics']),
    });
    await server.close();
  });
});

function writeFile(name: string, bytes: Buffer): string {
  const file = join(folder, name);
  writeFileSync(file, bytes);
  return file;
}
