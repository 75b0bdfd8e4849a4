import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EmbeddedServer } from '../../src/servers/embedded/embedded-server.ts';
import { modelName, startEmbedded } from './support.ts';

describe('the tokenizer of the engine', () => {
  let server: EmbeddedServer;

  beforeAll(async () => {
    server = await startEmbedded({ contextLength: 256 });
  });

  afterAll(() => server.close());

  it('counts, encodes and decodes as the model is fed', async () => {
    const tokenizer = server.tokenizerOf(modelName);
    expect(tokenizer.vocabularySize).toBe(49_152);
    expect(tokenizer.ownBos).toBeUndefined();
    const text = '<|im_start|>user\nHello, 世界! 🦊<|im_end|>\n';
    const ids = await tokenizer.encode(text, { addSpecialTokens: true });
    expect(ids[0]).toBe(1);
    expect(await tokenizer.count(text, { addSpecialTokens: true })).toBe(ids.length);
    expect(await tokenizer.decode(ids, { skipSpecialTokens: false })).toBe(text);
    expect(await tokenizer.decode(ids, { skipSpecialTokens: true })).toBe('user\nHello, 世界! 🦊\n');
    expect(await tokenizer.spellings([1, 28_120, 905, 49_152])).toEqual(['<|im_start|>', 'hello', 'Ġworld', '']);
    expect(await tokenizer.unknownIds([1, 49_151, 49_152, -1, 2.5])).toEqual([49_152, -1, 2.5]);
  });

  it('encodes a long text in pieces to the same ids, without holding the event loop', async () => {
    const tokenizer = server.tokenizerOf(modelName);
    const words = [
      'The quick brown fox',
      "isn't",
      '  two spaces',
      '\n\nnew\tline',
      '日本語のテキスト',
      '🦊🦊',
      'snake_case(x) { return 1.5; }',
      '<|im_start|>user',
    ];
    let text = '';
    for (let index = 0; text.length < 400_000; index++)
      text += ` ${words[(index * 7) % words.length]} and then some more`;
    let turns = 0;
    let isDone = false;
    const turn = (): void => {
      turns += 1;
      if (!isDone) setImmediate(turn);
    };
    setImmediate(turn);
    const ids = await tokenizer.encode(text, { addSpecialTokens: false });
    expect(turns).toBeGreaterThan(40);
    turns = 0;
    expect(await tokenizer.decode(ids, { skipSpecialTokens: false })).toBe(text);
    isDone = true;
    expect(turns).toBeGreaterThan(20);
    const plain = await tokenizer.decode(ids, { skipSpecialTokens: true });
    expect(plain).toBe(text.replaceAll('<|im_start|>', ''));
    const parts = text.split(/(?<=some more)/);
    const sum: number[] = [];
    for (const part of parts) sum.push(...(await tokenizer.encode(part, { addSpecialTokens: false })));
    expect(Array.from(ids)).toEqual(sum);
  });
});
