import { describe, expect, it } from 'vitest';
import type { EmbeddingContract } from '../contracts/row-contracts.ts';
import { recipeOf } from './embedding-recipe.ts';

const contract = (own: Partial<EmbeddingContract>) =>
  ({ kind: 'tensors', isPooledHere: true, ...own }) as EmbeddingContract;

describe('recipeOf', () => {
  it('takes the normalized mean by default, and marks it as a guess', () => {
    expect(recipeOf(contract({}), undefined)).toEqual({ pooling: 'mean', isGuess: true, normalize: true, prompt: '' });
  });

  it('leaves whole vectors as they come', () => {
    const whole = { pooling: undefined, isGuess: false, normalize: false, prompt: '' };
    expect(recipeOf(contract({ isPooledHere: false }), undefined)).toEqual(whole);
    expect(recipeOf(contract({ kind: 'vllm', isPooledHere: false }), { normalize: true, furtherSteps: [] })).toEqual(
      whole,
    );
  });

  it('does what the folder says, and before that what is set', () => {
    const folder = { pooling: 'cls', normalize: false, prompt: 'p: ', furtherSteps: [] } as const;
    expect(recipeOf(contract({}), folder)).toEqual({ pooling: 'cls', isGuess: false, normalize: false, prompt: 'p: ' });
    const set = contract({ pooling: 'last', normalize: true, prompt: '' });
    expect(recipeOf(set, folder)).toEqual({ pooling: 'last', isGuess: false, normalize: true, prompt: '' });
  });

  it.each([
    [{ pooling: 'other', furtherSteps: [] } as const, /its folder names a pooling other than mean, cls and last/],
    [{ pooling: 'mean', furtherSteps: ['Dense'] } as const, /its modules\.json has the step Dense/],
  ])('refuses to make vectors that would be wrong: %j', (folder, message) => {
    expect(() => recipeOf(contract({}), folder)).toThrow(message);
    expect(recipeOf(contract({ isPooledHere: false }), folder).pooling).toBeUndefined();
  });
});
