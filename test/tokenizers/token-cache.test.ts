import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Tokenizer as NativeTokenizer } from 'tokenizers';
import { afterAll, describe, expect, it } from 'vitest';
import { loadPromptAssets } from '../../src/prompt/assets.ts';
import type { ChatTemplate, TemplateMessage } from '../../src/prompt/chat-template.ts';
import { cutTokens } from '../../src/prompt/cut-tokens.ts';
import { promptThread } from '../../src/prompt/prompt-thread.ts';
import { SegmentStore } from '../../src/prompt/segment-store.ts';
import { segmentEncoder } from '../../src/prompt/token-cache.ts';
import { tokenUse } from '../../src/prompt/token-use.ts';
import { loadTokenizer } from '../../src/prompt/tokenizer.ts';
import { parseOutline } from '../../src/prompt/tokenizer-outline.ts';
import { type TokenizerName, tokenizerFolder } from '../support/environment.ts';
import { type Random, randomFrom } from './random.ts';
import { texts } from './samples.ts';

const families: TokenizerName[] = ['llama2', 'llama3', 'llama3_2', 'qwen3', 'gemma3', 'mistral_nemo', 'deepseek_v3'];
const hub = { endpoint: 'http://127.0.0.1:1', cacheFolder: '/nowhere', offline: true };
const fileOf = (family: TokenizerName): string => join(tokenizerFolder(family), 'tokenizer.json');

/** A piece of a prompt: words, spaces, characters of many bytes, special tokens, and parts of them. */
function piece(random: Random, tokens: readonly string[]): string {
  const token = tokens[random(tokens.length)] ?? '';
  const text = texts[random(texts.length)] ?? '';
  const from = random(text.length);
  switch (random(10)) {
    case 0:
      return token.slice(random(token.length), 1 + random(token.length));
    case 1:
      return [' ', '\n', '\t', '\r\n', '\u00a0', '\u3000'][random(6)]?.repeat(1 + random(40)) ?? '';
    case 2:
      return `<${token}>${token}${token} ${token}\n${token}`;
    case 3:
      return (
        ['', 'a', ' a', "'s", '123456', '▁', 'Ġ', '\ud83d', '\udc4d', '👩‍👩‍👧‍👦', 'é', 'e\u0301'][random(12)] ?? ''
      );
    default:
      return text.slice(from, from + random(200)) + (random(3) === 0 ? token : '');
  }
}

/** Prompts of conversations that grow, begin anew, and change in their middle. */
function prompts(random: Random, tokens: readonly string[], count: number): string[] {
  let text = '';
  return Array.from({ length: count }, () => {
    if (random(40) === 0) text = text.slice(random(text.length + 1));
    const at = random(8) === 0 ? random(text.length + 1) : text.length;
    text = text.slice(0, at) + piece(random, tokens) + text.slice(at);
    return text;
  });
}

describe('tokens of segments', () => {
  it.each(families)('are those of the whole text, however a conversation grows: %s', async (family) => {
    const native = NativeTokenizer.fromFile(fileOf(family));
    native.disableTruncation();
    native.disablePadding();
    const json = await readFile(fileOf(family));
    const definition = parseOutline(json) as { added_tokens: { content: string }[] };
    const store = new SegmentStore();
    store.limit = 60_000;
    const encoder = await segmentEncoder(json, native, store);
    if (encoder === undefined) throw new Error('Texts of this family are not cut.');
    const random = randomFrom(family.length);
    const cuts = cutTokens(definition);
    const others = definition.added_tokens.map(({ content }) => content);
    const tokens = [...cuts, ...cuts, ...cuts, ...Array.from({ length: 8 }, () => others[random(others.length)] ?? '')];
    let [reused, total] = [0, 0];
    const wrong: unknown[] = [];
    for (const text of prompts(random, tokens, 400)) {
      const whole = (await native.encode(text, null, { addSpecialTokens: false })).getIds();
      const found = await encoder.encode(text);
      if (found === undefined) continue;
      reused += found.reused;
      total += whole.length;
      const ids = found.parts.flatMap((part) => Array.from(part));
      if (ids.join() !== whole.join() || found.length !== whole.length) wrong.push({ text, ids, whole });
    }
    expect(wrong.slice(0, 2)).toEqual([]);
    expect({ isUsed: reused > total / 2, isBounded: store.bytes <= store.limit }).toEqual({
      isUsed: true,
      isBounded: true,
    });
  });
});

describe('an outline of tokenizer.json', () => {
  it.each(families)('is the file without vocabulary and merges: %s', async (family) => {
    const bytes = await readFile(fileOf(family));
    const whole = JSON.parse(bytes.toString()) as { model: object };
    expect(parseOutline(bytes)).toEqual({ ...whole, model: { ...whole.model, vocab: null, merges: null } });
  });
});

describe('the token cache of the prompt thread', () => {
  afterAll(() => promptThread.stop());

  /** The prompts of a conversation that grows by a message, as the family's own template writes them. */
  async function conversation(template: ChatTemplate): Promise<string[]> {
    const messages: TemplateMessage[] = [];
    const written: string[] = [];
    for (const [turn, content] of [...texts, '', '   ', 'a </s> b <|eot_id|> c', ...texts].entries()) {
      messages.push({ role: turn % 2 === 0 ? 'user' : 'assistant', content: content.repeat(5) });
      if (turn % 2 === 0)
        written.push(
          await template.render({ messages, addGenerationPrompt: true, continueFinalMessage: false, variables: {} }),
        );
    }
    return written;
  }

  it.each<[TokenizerName, boolean | undefined]>([
    ['llama3', undefined],
    ['llama3_2', undefined],
    ['qwen3', undefined],
    ['gemma3', undefined],
    ['mistral_nemo', undefined],
    ['deepseek_v3', undefined],
    ['deepseek_v3', true],
    ['llama3_2', false],
  ])('gives ids and counts as without it, with special tokens and without: %s, BOS %s', async (family, addsBos) => {
    const options = { tokenizer: tokenizerFolder(family), hub, addsBos };
    const { tokenizer: plain, template } = await loadPromptAssets(options);
    const { tokenizer: cached } = await loadPromptAssets({ ...options, tokenCacheSize: () => 2 ** 20 });
    if (!plain || !cached || !template) throw new Error(`${family} is incomplete`);
    const before = tokenUse.cached;
    for (const addSpecialTokens of [true, false])
      for (const text of await conversation(template)) {
        const expected = await plain.encode(text, { addSpecialTokens });
        expect(await cached.encode(text, { addSpecialTokens })).toEqual(expected);
        expect(await cached.count(text, { addSpecialTokens })).toBe(expected.length);
      }
    expect(tokenUse.cached - before).toBeGreaterThan(10_000);
  });

  it('stores nothing where its size is 0, and gives many at once their own ids', async () => {
    let size = 2 ** 20;
    const cached = await loadTokenizer({ file: fileOf('llama3_2'), cacheSize: () => size });
    const plain = await loadTokenizer({ file: fileOf('llama3_2') });
    const prompt = (turn: number): string => `<|eot_id|>${texts.join('<|eot_id|>')}`.repeat(3) + `turn ${turn}`;
    const options = { addSpecialTokens: true };
    const turns = Array.from({ length: 20 }, (_, turn) => prompt(turn));
    const expected = await Promise.all(turns.map((text) => plain.encode(text, options)));
    expect(await Promise.all(turns.map((text) => cached.encode(text, options)))).toEqual(expected);
    size = 0;
    await cached.encode(prompt(0), options);
    const before = tokenUse.cached;
    expect(await cached.encode(prompt(0), options)).toEqual(expected[0]);
    expect(tokenUse.cached).toBe(before);
  });
});
