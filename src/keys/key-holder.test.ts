import { describe, expect, it } from 'vitest';
import { mayUse } from './key-holder.ts';

describe('mayUse', () => {
  it.each([
    ['llama', 'llama', true],
    ['llama', 'llama3', false],
    ['llama', 'Llama', false],
    ['llama*', 'llama', true],
    ['llama*', 'llama3_lora_a', true],
    ['llama*', 'my-llama', false],
    ['*', '', true],
    ['*-instruct', 'qwen-instruct', true],
    ['*-instruct', 'qwen-instruct-2', false],
    ['a*b*c', 'abc', true],
    ['a*b*c', 'a-c-b-c', true],
    ['a*b*c', 'acb', false],
    ['ab*ba', 'aba', false],
    ['a**b', 'ab', true],
    ['a.c', 'abc', false],
    ['meta/llama-*', 'meta/llama-3/8b', true],
  ])('%s for %s: %s', (pattern, model, expected) => {
    expect(mayUse({ models: ['other', pattern] }, model)).toBe(expected);
  });

  it('allows all models without a list, and without a key', () => {
    expect([mayUse({}, 'x'), mayUse({ models: undefined }, 'x'), mayUse(undefined, 'x')]).toEqual([true, true, true]);
  });

  it('reads a name once, however many stars a pattern has', () => {
    const name = 'a'.repeat(1_000_000);
    expect(mayUse({ models: [`${'*a'.repeat(50)}*b`] }, name)).toBe(false);
  });
});
