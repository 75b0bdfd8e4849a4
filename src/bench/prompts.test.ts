import { describe, expect, it } from 'vitest';
import { countedPrompts, makePrompts } from './prompts.ts';
import { CountError, serverCounter, type TokenCounter } from './token-counter.ts';

/** A token for every three characters: words are not tokens here. */
const thirds: TokenCounter = { source: 'thirds', count: async (text) => Math.ceil(text.length / 3) };
/** A token for every word, and two for some. */
const wordy: TokenCounter = {
  source: 'wordy',
  count: async (text) => text.split(' ').reduce((total, word) => total + (word.length > 5 ? 2 : 1), 0),
};
const options = {
  count: 20,
  input: { mean: 200, deviation: 20 },
  output: { mean: 50, deviation: 5 },
  seed: 1,
};

describe('makePrompts', () => {
  it('has the requested number of tokens if words allow it', async () => {
    const prompts = await makePrompts({ ...options, input: { mean: 200, deviation: 0 }, counter: wordy });
    expect(prompts.map(({ tokens }) => tokens)).toEqual(Array.from({ length: 20 }, () => 200));
  });

  it('comes as near as it can where a word is several tokens', async () => {
    const prompts = await makePrompts({ ...options, input: { mean: 200, deviation: 0 }, counter: thirds });
    for (const { text, tokens = 0 } of prompts) {
      expect(tokens).toBe(Math.ceil(text.length / 3));
      expect(Math.abs(tokens - 200)).toBeLessThanOrEqual(4);
    }
  });

  it('makes the same prompts for the same seed, all different from one another, and others for another', async () => {
    const first = await makePrompts({ ...options, counter: wordy });
    expect(await makePrompts({ ...options, counter: wordy })).toEqual(first);
    expect(new Set(first.map(({ text }) => text)).size).toBe(20);
    expect((await makePrompts({ ...options, seed: 2, counter: wordy }))[0]).not.toEqual(first[0]);
  });

  it('counts a word as a token without a counter', async () => {
    const [prompt] = await makePrompts({ ...options, input: { mean: 7, deviation: 0 }, counter: undefined });
    expect(prompt?.text.split(' ')).toHaveLength(7);
    expect(prompt?.tokens).toBeUndefined();
  });
});

describe('countedPrompts', () => {
  it('counts existing texts and draws the lengths of the responses', async () => {
    const output = { mean: 9, deviation: 0 };
    expect(await countedPrompts(['a b c', 'd'], { output, seed: 1, counter: wordy })).toEqual([
      { text: 'a b c', tokens: 3, outputTokens: 9 },
      { text: 'd', tokens: 1, outputTokens: 9 },
    ]);
  });
});

describe('serverCounter', () => {
  it('asks the server', async () => {
    const requested: unknown[] = [];
    const counter = await serverCounter(async (...call) => {
      requested.push(call);
      return { status: 200, body: { count: 5 } };
    }, 'm');
    expect(await counter?.count('five')).toBe(5);
    expect(requested.at(-1)).toEqual(['/tokenize', { model: 'm', prompt: 'five', add_special_tokens: false }]);
  });

  it('is none where the server has no such call, or cannot be reached', async () => {
    expect(await serverCounter(async () => ({ status: 404, body: { error: {} } }), 'm')).toBeUndefined();
    expect(await serverCounter(() => Promise.reject(new Error('refused')), 'm')).toBeUndefined();
  });

  it('fails where the server counts no longer', async () => {
    let status = 200;
    const counter = await serverCounter(async () => ({ status, body: { count: 1 } }), 'm');
    status = 500;
    await expect(counter?.count('x')).rejects.toThrow(
      new CountError('/tokenize accepted one text and rejected another (HTTP 500)'),
    );
  });
});
