import { describe, expect, it } from 'vitest';
import { parseOutline } from './tokenizer-outline.ts';

const outline = (text: string): unknown => parseOutline(Buffer.from(text));

describe('parseOutline', () => {
  it('parses everything but the vocabulary and the merges of the model', () => {
    const definition = {
      version: '1.0',
      vocab: ['not', 'the', 'model'],
      added_tokens: [{ content: '"vocab": {', vocab: { merges: [1] } }, { content: '\\"]}' }],
      model: {
        type: 'BPE',
        vocab: { '"': 0, '\\': 1, '}': 2, '],"merges":[': 3, é: 4 },
        dropout: null,
        merges: [['"', '{'], 'a }', '\\"'],
        nested: { vocab: { a: 1 } },
        text: 'vocab',
      },
      normalizer: { type: 'Replace', content: 'vocab' },
    };
    const expected = { ...definition, model: { ...definition.model, vocab: null, merges: null } };
    expect(outline(JSON.stringify(definition))).toEqual(expected);
    expect(outline(JSON.stringify(definition, null, 2))).toEqual(expected);
  });

  it('takes a vocabulary at the end, an empty one, and a list', () => {
    expect(outline('{"model":{"vocab":{}}}')).toEqual({ model: { vocab: null } });
    expect(outline('{"model": {"type": "Unigram", "vocab" : [["a", -1.5], ["]", 0]] }}')).toEqual({
      model: { type: 'Unigram', vocab: null },
    });
  });

  it('fails where there is no JSON', () => {
    expect(() => outline('{"model":{"vocab":{')).toThrow(SyntaxError);
    expect(() => outline('')).toThrow(SyntaxError);
  });
});
