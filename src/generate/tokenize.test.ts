import { describe, expect, it } from 'vitest';
import { ApiError } from '../errors.ts';
import type { NamedModel } from '../models/served-model.ts';
import type { Tokenizer } from '../tokenizer.ts';
import { applyTemplate, detokenize, planTokenize, tokenize } from './tokenize.ts';

type Context = Parameters<typeof tokenize>[1];

const tokenizer = {
  encode: (text: string, { addSpecialTokens }: { addSpecialTokens: boolean }) =>
    Promise.resolve(Int32Array.from([...(addSpecialTokens ? [1] : []), ...Buffer.from(text)])),
  decode: (ids: ArrayLike<number>) => Promise.resolve(Buffer.from(Array.from(ids)).toString()),
  unknownIds: () => Promise.resolve([]),
} as unknown as Tokenizer;

const contextOf = (model: Partial<NamedModel>): Context =>
  ({
    findModel: (name: string) => {
      throw new ApiError('invalid_request', `model: ${name} generates no text.`);
    },
    findNamed: () => ({ name: 'minilm', contextLength: () => 256, ...model }),
  }) as unknown as Context;

const embedder = contextOf({ assets: () => Promise.resolve({ tokenizer, eosTokenIds: [] }) });

describe('the tokens of a model that generates no text', () => {
  it('are returned, with special tokens unless the request leaves them out', async () => {
    const requested = { model: 'minilm', prompt: 'ab' };
    const respond = (tokens: number[]) => ({
      result: { maxModelLength: 256, tokens: Int32Array.from(tokens), spellings: null },
      ignored: [],
    });
    expect(await tokenize(requested, embedder)).toEqual(respond([1, 97, 98]));
    expect(await tokenize({ ...requested, add_special_tokens: false }, embedder)).toEqual(respond([97, 98]));
    expect(await detokenize({ model: 'minilm', tokens: [97, 98] }, embedder)).toBe('ab');
  });

  it('need no conversation, which it has no template for', async () => {
    const messages = [{ role: 'user' as const, content: 'ab' }];
    const refusal = 'model: minilm generates no text.';
    await expect(tokenize({ model: 'minilm', messages }, embedder)).rejects.toThrow(refusal);
    await expect(applyTemplate({ model: 'minilm', messages }, embedder)).rejects.toThrow(refusal);
  });

  it('are refused without a tokenizer', async () => {
    const bare = contextOf({ assets: () => Promise.resolve({ eosTokenIds: [] }) });
    await expect(tokenize({ model: 'minilm', prompt: 'ab' }, bare)).rejects.toThrow(
      'model: no tokenizer is set for minilm; start Conch with --tokenizer minilm=DIR.',
    );
  });
});

describe('planTokenize', () => {
  const plan = (request: object, model: object = {}) =>
    planTokenize({ model: 'm', ...request }, {
      contract: {},
      addsSpecialTokens: false,
      ...model,
    } as unknown as NamedModel);

  it('takes a text with the special tokens of its server, and names what has no effect on a text', () => {
    expect(plan({ prompt: 'ab', add_generation_prompt: true, return_token_strs: true })).toEqual({
      source: 'ab',
      addSpecialTokens: false,
      wantsSpellings: true,
      ignored: ['add_generation_prompt'],
    });
    expect(plan({ prompt: 'ab' }, { contract: undefined }).addSpecialTokens).toBe(true);
    expect(plan({ prompt: 'ab', add_special_tokens: true }).addSpecialTokens).toBe(true);
  });

  it('takes a conversation', () => {
    const messages = [{ role: 'user', content: 'ab' }];
    const request = { messages, add_generation_prompt: true };
    expect(plan(request)).toEqual({
      source: { model: 'm', ...request, prompt: undefined },
      addSpecialTokens: false,
      wantsSpellings: false,
      ignored: [],
    });
  });

  it.each([
    [{}, 'The field prompt or messages is required.'],
    [{ prompt: 'ab', messages: [] }, 'prompt: cannot be combined with messages. Send only one of them.'],
  ])('refuses %j', (request, message) => {
    expect(() => plan(request)).toThrow(message);
  });
});
