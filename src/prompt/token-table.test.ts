import { Tokenizer } from 'tokenizers';
import { describe, expect, it } from 'vitest';
import { type TokenTable, tokenKind } from '../tokenizer.ts';
import { buffersOfTable, buildTokenTable } from './token-table.ts';

const added = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: false };
const replace = { type: 'Replace', pattern: { String: '▁' }, content: ' ' };
const strip = { type: 'Strip', content: ' ', start: 1, stop: 0 };
const byteLevel = { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true };

/** A tokenizer.json with these tokens from id 0 on. */
function definition(vocabulary: string[], rest: Record<string, unknown>) {
  const vocab = Object.fromEntries(vocabulary.map((token, id) => [token, id]));
  return { version: '1.0', added_tokens: [], model: { type: 'BPE', vocab, merges: [] }, ...rest };
}

function tableOf(parsed: Record<string, unknown>): TokenTable {
  const native = Tokenizer.fromString(JSON.stringify(parsed));
  return buildTokenTable(parsed, (token) => native.tokenToId(token));
}

/** By id, the bytes as Latin-1 and the kind. */
function rows({ kinds, inside: { bytes, offsets } }: TokenTable): [string, number][] {
  return Array.from(kinds, (kind, id) => [
    Buffer.from(bytes.subarray(offsets[id], offsets[id + 1])).toString('latin1'),
    kind,
  ]);
}

describe('the table of tokens', () => {
  it('has the bytes that byte-level BPE spells, or the token as it is written where it spells none', () => {
    const parsed = definition(['Ġa', 'ä¸', 'Ń', '', 'a b', 'é', '中'], { decoder: byteLevel });
    expect(rows(tableOf(parsed))).toEqual([
      [' a', 0],
      ['\xe4\xb8', tokenKind.part],
      ['\xad', tokenKind.part],
      ['', tokenKind.part],
      ['a b', 0],
      ['\xe9', tokenKind.part],
      ['\xe4\xb8\xad', 0],
    ]);
  });

  it('has one byte for a token that names one, where the decoder falls back to bytes', () => {
    const vocabulary = ['<0x0A>', '<0xe4>', '<0x+F>', '<0xG0>', '<0x0A> ', '▁<0x0A>', '▁▁a'];
    const decoders = [replace, { type: 'ByteFallback' }, { type: 'Fuse' }, strip];
    const table = tableOf(definition(vocabulary, { decoder: { type: 'Sequence', decoders } }));
    expect(rows(table)).toEqual([
      ['\n', tokenKind.byte],
      ['\xe4', tokenKind.byte],
      ['\x0f', tokenKind.byte],
      ['<0xG0>', 0],
      ['<0x0A> ', 0],
      [' <0x0A>', 0],
      ['  a', 0],
    ]);
    expect([table.strip, table.first]).toEqual([{ character: ' ', most: 1 }, undefined]);
  });

  it('has added tokens as they are written, under the ids that the native package gives', () => {
    const vocab = { a: 0, '<s>': 1, b: 4 };
    const parsed = definition([], {
      model: { type: 'BPE', vocab, merges: [] },
      normalizer: { type: 'Prepend', prepend: '▁' },
      decoder: { type: 'Sequence', decoders: [replace, { type: 'Fuse' }] },
      added_tokens: [
        { ...added, id: 1, content: '<s>', special: true },
        { ...added, id: 70, content: '<x>', normalized: true },
        { ...added, id: 80, content: '</s>', normalized: true, special: true },
      ],
    });
    // The native package gives 3 and 4 to the last two, so that b is hidden.
    expect(rows(tableOf(parsed))).toEqual([
      ['a', 0],
      ['<s>', tokenKind.special],
      ['', tokenKind.absent],
      ['<x>', 0],
      ['</s>', tokenKind.special],
    ]);
  });

  it('reads the list of a Unigram model', () => {
    const vocab = [
      ['<unk>', 0],
      ['▁a', -1],
    ];
    const decoder = { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true };
    const table = tableOf(definition([], { model: { type: 'Unigram', unk_id: 0, vocab }, decoder }));
    expect(rows(table)).toEqual([
      ['<unk>', 0],
      [' a', 0],
    ]);
    expect(Buffer.from(table.first?.bytes ?? []).toString()).toBe('<unk>a');
  });

  it('owns its memory, so that it can be transferred to another thread', () => {
    const table = tableOf(definition(['a', 'b'], {}));
    const buffers = buffersOfTable(table);
    const value = structuredClone(table, { transfer: buffers });
    expect(buffers.map(({ byteLength }) => byteLength)).toEqual([0, 0, 0, 0, 0]);
    expect(Buffer.from(value.inside.bytes).toString()).toBe(' a b');
  });

  it.each([
    [{ type: 'CTC', pad_token: '<pad>', word_delimiter_token: '|', cleanup: true }, 'CTC'],
    [{ type: 'BPEDecoder', suffix: '</w>' }, 'BPEDecoder'],
    [{ type: 'Replace', pattern: { Regex: 'a+' }, content: 'b' }, 'Replace with a regular expression'],
    [{ ...strip, stop: 1 }, 'Strip at the end of a text'],
    [{ type: 'Sequence', decoders: [byteLevel, replace] }, 'Replace after Fuse or ByteLevel'],
    [{ type: 'Sequence', decoders: [{ type: 'ByteFallback' }, strip] }, 'Strip after ByteFallback'],
    [{ type: 'Sequence', decoders: [{ type: 'Fuse' }, strip, strip] }, 'Strip a second time'],
    [
      { type: 'Sequence', decoders: [{ type: 'WordPiece', prefix: '##', cleanup: true }, { type: 'ByteFallback' }] },
      'ByteFallback after a step that treats the first token differently',
    ],
  ])('is refused by name where the decoder cannot be followed token by token: %j', (decoder, named) => {
    expect(() => tableOf(definition(['a'], { decoder }))).toThrow(`The decoder step ${named} is not supported.`);
  });
});
