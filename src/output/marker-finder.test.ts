import { describe, expect, it } from 'vitest';
import { MarkerFinder } from './marker-finder.ts';

/** Where the first marker ends and which it is, with the text cut into pieces. */
function find(markers: readonly string[], pieces: readonly string[]): [number, string | undefined] {
  const finder = new MarkerFinder(markers);
  let before = 0;
  for (const piece of pieces) {
    const end = finder.find(piece, 0, piece.length);
    if (finder.found !== undefined) return [before + end, finder.found];
    before += piece.length;
  }
  return [before, undefined];
}

describe('MarkerFinder', () => {
  it('finds the marker that is complete first, however the text is cut', () => {
    const text = 'a <tool <tool_call> </tool_call>';
    for (let at = 0; at <= text.length; at++)
      expect(find(['</tool_call>', '<tool_call>'], [text.slice(0, at), text.slice(at)])).toEqual([19, '<tool_call>']);
  });

  it('takes the longer of two that end together', () => {
    expect(find(['</p>', '\n</p>'], ['a', '\n', '</', 'p>'])).toEqual([6, '\n</p>']);
    expect(find(['\n</p>', '</p>'], ['a</p>'])).toEqual([5, '</p>']);
  });

  it('falls back inside a repeating marker', () => {
    expect(find(['aab'], Array.from('aaaab'))).toEqual([5, 'aab']);
    expect(find(['abac'], Array.from('ababac'))).toEqual([6, 'abac']);
  });

  it('says how much could still become a marker', () => {
    const finder = new MarkerFinder(['<call>', '[TOOL]']);
    finder.find('a <cal', 0, 6);
    expect(finder.partial).toBe(4);
    finder.find('x', 0, 1);
    expect(finder.partial).toBe(0);
    finder.find('<[', 0, 2);
    expect(finder.partial).toBe(1);
    finder.reset();
    expect(finder.partial).toBe(0);
  });

  it('finds nothing where nothing is sought', () => {
    expect(find([], ['abc'])).toEqual([3, undefined]);
  });
});
