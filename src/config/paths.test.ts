import { describe, expect, it } from 'vitest';
import { looksLikePath } from './paths.ts';

describe('looksLikePath', () => {
  it.each(['.', './a', '../a', '/a', '~/a', 'a/b/c', 'a/', String.raw`a\b`, 'C:/a', String.raw`C:\a`])(
    'takes %j for a folder',
    (name) => {
      expect(looksLikePath(name)).toBe(true);
    },
  );

  it.each(['gpt2', 'Qwen/Qwen3-8B', 'org/name.v1', '.hidden'])('takes %j for a name', (name) => {
    expect(looksLikePath(name)).toBe(false);
  });
});
