import { describe, expect, it } from 'vitest';
import { promptsIn } from './prompts.ts';

describe('promptsIn', () => {
  it('takes lines of text and of JSON, whatever ends them', () => {
    expect(promptsIn('one two\r\n\r\n{"text": "three"}\r\nfour\n', 'p.txt')).toEqual(['one two', 'three', 'four']);
  });

  it('refuses a line without a text, and a file without lines', () => {
    expect(() => promptsIn('a\n{"prompt": "b"}', 'p.txt')).toThrow(
      '--prompt-file: prompt 2 of p.txt has no field "text". Add it, or write plain text.',
    );
    expect(() => promptsIn(' \n', 'p.txt')).toThrow('--prompt-file: p.txt has no prompts. Write one per line.');
  });
});
