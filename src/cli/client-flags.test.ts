import { describe, expect, it } from 'vitest';
import { keyOf } from './client-flags.ts';

const hash = `sha256:${'0'.repeat(64)}`;

describe('keyOf', () => {
  it.each([
    [{ apiKey: 'flag' }, { CONCH_API_KEY: 'conch', OPENAI_API_KEY: 'openai' }, 'flag'],
    [{}, { CONCH_API_KEY: 'conch, other', OPENAI_API_KEY: 'openai' }, 'conch'],
    [{}, { CONCH_API_KEY: '', OPENAI_API_KEY: 'openai' }, 'openai'],
    [{}, { OPENAI_TRTLLM_API_KEY: 'other' }, undefined],
  ])('%j and %j', (flags, environment, key) => {
    expect(keyOf(flags, environment)).toBe(key);
  });

  it('refuses a hash by its name, and sends no other key in its place', () => {
    const words = 'is the hash of an API key. Set the key itself.';
    expect(() => keyOf({ apiKey: hash }, { OPENAI_API_KEY: 'openai' })).toThrow(`--api-key ${words}`);
    expect(() => keyOf({}, { CONCH_API_KEY: hash, OPENAI_API_KEY: 'openai' })).toThrow(`CONCH_API_KEY ${words}`);
  });
});
