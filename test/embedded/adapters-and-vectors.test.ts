import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { boolTensor, textTensor } from '../../src/kserve/tensors.ts';
import type { EmbeddedServer } from '../../src/servers/embedded/embedded-server.ts';
import { pulled } from '../support/pulled-responses.ts';
import { writeAdapter } from './gguf-adapter.ts';
import { ask, chat, collect, modelFile, modelName, request, startEmbedded } from './support.ts';

const folder = mkdtempSync(join(tmpdir(), 'conch-embedded-'));
const shape = { architecture: 'llama', tensor: 'blk.3.ffn_down.weight', inputs: 1536, outputs: 576 };
const adapter = (name: string, strength: number): string => {
  const file = join(folder, `${name}.gguf`);
  writeAdapter(file, { ...shape, strength });
  return file;
};

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('LoRA adapters', () => {
  let server: EmbeddedServer;
  const prompt = chat('Name three animals.');
  const option = (name?: string) => ({
    prompt,
    sampling: { max_tokens: 16, temperature: 0, ...(name ? { lora_name: name } : {}) },
  });

  beforeAll(async () => {
    server = await startEmbedded({
      lora: [
        { name: 'strong', file: adapter('strong', 2) },
        { name: 'none', file: adapter('none', 0) },
      ],
    });
  });

  afterAll(() => server.close());

  it('change the answers of those who ask for them, and of nobody else', async () => {
    const plain = await ask(server, option());
    const strong = await ask(server, option('strong'));
    expect(strong.text).not.toBe(plain.text);
    expect((await ask(server, option('none'))).text).toBe(plain.text);
    expect((await ask(server, option())).text).toBe(plain.text);
    const together = await Promise.all([
      ask(server, option()),
      ask(server, option('strong')),
      ask(server, option('none')),
    ]);
    expect(together.map(({ text }) => text)).toEqual([plain.text, strong.text, plain.text]);
  });

  it('are named in the configuration and in the refusal of an unknown one', async () => {
    const { config } = await server.call('ModelConfig', { name: modelName });
    expect(config.parameters['lora_adapters']?.string_value).toBe('["strong","none"]');
    await expect(ask(server, option('zzz'))).rejects.toMatchObject({
      message: "LoRA zzz is not supported, we currently support ['strong', 'none']",
    });
  });

  it('come and go while the model runs', async () => {
    await server.adapters.load(modelName, { name: 'late', file: adapter('late', 2) });
    expect((await ask(server, option('late'))).text).toBe((await ask(server, option('strong'))).text);
    await expect(server.adapters.load(modelName, { name: 'late', file: adapter('late', 2) })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
    server.adapters.unload(modelName, 'late');
    await expect(ask(server, option('late'))).rejects.toMatchObject({
      message: expect.stringContaining('LoRA late is not supported'),
    });
  });

  it('serve running answers to their end when they are unloaded, and come back with what the file holds then', async () => {
    const long = { prompt, sampling: { max_tokens: 48, temperature: 0, ignore_eos: true, lora_name: 'brief' } };
    const load = (strength: number) =>
      server.adapters.load(modelName, { name: 'brief', file: adapter('brief', strength) });
    await load(2);
    // The second one finds its prompt evaluated, as the one that is compared with it does.
    await ask(server, long);
    const whole = await ask(server, long);
    const running = pulled(server, request(long));
    const first = await running.next();
    server.adapters.unload(modelName, 'brief');
    await load(0);
    const rest = await collect(running);
    const text = [...(first.value ?? []), ...rest].map((response) => response.text('text_output')).join('');
    expect(text).toBe(whole.text);
    const [plain, renewed] = [await ask(server, option()), await ask(server, option('brief'))];
    expect(renewed.text).toBe(plain.text);
    expect(whole.text.startsWith(plain.text)).toBe(false);
  });

  it('are refused when they are none or do not fit', async () => {
    writeFileSync(join(folder, 'text.gguf'), 'not a gguf');
    const misfit = join(folder, 'misfit.gguf');
    writeAdapter(misfit, { ...shape, inputs: 7, strength: 1 });
    await expect(server.adapters.load(modelName, { name: 'a', file: join(folder, 'text.gguf') })).rejects.toThrow(
      /is not a GGUF file/,
    );
    await expect(server.adapters.load(modelName, { name: 'b', file: await modelFile() })).rejects.toThrow(
      /not a LoRA adapter/,
    );
    await expect(server.adapters.load(modelName, { name: 'c', file: misfit })).rejects.toThrow(
      /does not fit this model/,
    );
    expect((await ask(server, option())).text.length).toBeGreaterThan(0);
  });
});

describe('embeddings', () => {
  let server: EmbeddedServer;

  beforeAll(async () => {
    server = await startEmbedded({ contextLength: 256 });
  });

  afterAll(() => server.close());

  async function embed(body: unknown): Promise<{ vector: number[]; tokens: number }> {
    const inputs = [
      textTensor('embedding_request', [JSON.stringify(body)]),
      boolTensor('return_num_input_tokens', true),
    ];
    const responses = await collect(pulled(server, { model: modelName, id: 'e', inputs }));
    expect(responses).toHaveLength(1);
    expect(responses[0]?.final).toBe(true);
    return {
      vector: JSON.parse(responses[0]?.text('text_output') ?? ''),
      tokens: responses[0]?.uint32('num_input_tokens') ?? 0,
    };
  }

  const similarity = (a: number[], b: number[]) => a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);

  it('are vectors of length one, the same for a text and for its ids', async () => {
    const { vector, tokens } = await embed({ input: 'The fox runs through the forest.' });
    expect(vector).toHaveLength(576);
    expect(similarity(vector, vector)).toBeCloseTo(1, 6);
    const ids = await server
      .tokenizerOf(modelName)
      .encode('The fox runs through the forest.', { addSpecialTokens: true });
    expect(tokens).toBe(ids.length);
    const byIds = await embed({ input: [...ids] });
    expect(similarity(byIds.vector, vector)).toBeCloseTo(1, 5);
    const other = await embed({ input: 'Interest rates were raised by the central bank.' });
    expect(similarity(other.vector, vector)).toBeLessThan(0.999);
  });

  it('are cut to the dimensions asked for, and run beside generations', async () => {
    const [short, response] = await Promise.all([
      embed({ input: 'fox', pooling_params: { dimensions: [64] } }),
      ask(server, { sampling: { max_tokens: 8 } }),
    ]);
    expect(short.vector).toHaveLength(64);
    expect(similarity(short.vector, short.vector)).toBeCloseTo(1, 6);
    expect(response.outputTokens).toBeGreaterThan(0);
  });

  it.each([
    [{ input: ['a', 'b'] }, /embedding_request\.input: must be a string or an array of token ids/],
    [{ input: '' }, /cannot be empty/],
    [{ input: [99_999_999] }, /Token id 99999999 is out of vocabulary/],
    [{ input: 'a', pooling_params: { dimensions: 9999 } }, /dimensions must be at most 576/],
    [
      { input: 'word '.repeat(400) },
      /The decoder prompt \(length \d+\) is longer than the maximum model length of 256/,
    ],
  ])('refuse %j in words', async (body, message) => {
    await expect(embed(body)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringMatching(message),
    });
  });
});
