import { describe, expect, it } from 'vitest';
import { type TokenTable, tokenKind } from '../tokenizer.ts';
import { SpecialTexts, specialAmong, treeOf } from './special-texts.ts';

const specials = ['<|end|>', '<|eot|>', '<|e', '</s>'];
const run = (...pieces: string[]): string => {
  const filter = new SpecialTexts(treeOf(specials));
  return pieces.map((piece) => filter.push(piece)).join('') + filter.flush();
};

describe('SpecialTexts', () => {
  it('takes the texts out however the text is cut', () => {
    const text = 'a <|end|>b</s></s> c <|eot|><|x|> <|e!';
    for (let at = 0; at <= text.length; at++) expect(run(text.slice(0, at), text.slice(at))).toBe('a b c <|x|> !');
    expect(run(...Array.from(text))).toBe('a b c <|x|> !');
  });

  it('holds back only what could still become one', () => {
    const filter = new SpecialTexts(treeOf(specials));
    expect([filter.push('one <'), filter.push('| two'), filter.push(' </'), filter.flush()]).toEqual([
      'one ',
      '<| two',
      ' ',
      '</',
    ]);
  });

  it('gives everything where there are none', () => {
    const filter = new SpecialTexts(treeOf([]));
    expect([filter.push('a <'), filter.flush()]).toEqual(['a <', '']);
  });
});

it('tells which texts are special tokens of a vocabulary', () => {
  const texts = ['<tool_call>', '</tool_call>', '</s>'];
  const offsets = [0];
  for (const text of texts) offsets.push((offsets.at(-1) ?? 0) + text.length);
  const table: TokenTable = {
    kinds: Uint8Array.from([tokenKind.special, 0, tokenKind.special]),
    inside: { bytes: new TextEncoder().encode(texts.join('')), offsets: Uint32Array.from(offsets) },
  };
  expect(specialAmong(table, ['<tool_call>', '</tool_call>', '<think>'])).toEqual(['<tool_call>']);
});
