import { Tokenizer } from 'tokenizers';
import { describe, expect, it } from 'vitest';
import { SegmentStore } from './segment-store.ts';
import { segmentEncoder } from './token-cache.ts';

const letters = [
  ...Array.from('abcdehilnorstAÉé.,!\'"▁Ġ'),
  '</s>',
  '##a',
  '##b',
  '▁a',
  '▁b',
  '▁the',
  'th',
  'the',
  'ab',
];
const byteLetters = [...Array.from('abcdehilnorst.,!\'"ĠĊÃ©'), 'Ġa', 'th', 'the', 'Ġthe', 'ab'];

const listed = (tokens: readonly string[]) => Object.fromEntries(['<unk>', ...tokens].map((token, id) => [token, id]));
const spaced: [string, string][] = [
  ['▁', 'a'],
  ['▁', 'b'],
  ['t', 'h'],
  ['th', 'e'],
  ['▁', 'the'],
  ['a', 'b'],
];
const byteMerges: [string, string][] = [
  ['Ġ', 'a'],
  ['t', 'h'],
  ['th', 'e'],
  ['Ġ', 'the'],
  ['a', 'b'],
];

const bpe = (tokens: readonly string[], merges: readonly [string, string][]) => ({
  type: 'BPE',
  dropout: null,
  unk_token: '<unk>',
  continuing_subword_prefix: null,
  end_of_word_suffix: null,
  fuse_unk: true,
  byte_fallback: false,
  vocab: listed(tokens),
  merges: merges.filter((pair) => tokens.includes(pair.join(''))),
});
const unigram = { type: 'Unigram', unk_id: 0, vocab: ['<unk>', ...letters].map((token, id) => [token, -id]) };
const wordPiece = {
  type: 'WordPiece',
  unk_token: '<unk>',
  continuing_subword_prefix: '##',
  max_input_chars_per_word: 100,
  vocab: listed(letters),
};

const metaspace = (prepend_scheme: string) => ({ type: 'Metaspace', replacement: '▁', prepend_scheme, split: true });
const byteLevel = (add_prefix_space: boolean) => ({
  type: 'ByteLevel',
  add_prefix_space,
  trim_offsets: true,
  use_regex: true,
});
const bert = {
  normalizer: {
    type: 'BertNormalizer',
    clean_text: true,
    handle_chinese_chars: true,
    strip_accents: null,
    lowercase: true,
  },
  pre_tokenizer: { type: 'BertPreTokenizer' },
};
const replace = { type: 'Replace', pattern: { String: ' ' }, content: '▁' };
const sequence = (...normalizers: object[]) => ({ type: 'Sequence', normalizers });

/** Each kind of tokenizer that a model may have. */
const kinds: [string, object][] = [
  ['byte-level BPE', { pre_tokenizer: byteLevel(false), model: bpe(byteLetters, byteMerges) }],
  ['byte-level BPE that prepends a space', { pre_tokenizer: byteLevel(true), model: bpe(byteLetters, byteMerges) }],
  ['BPE of SentencePiece, spaces first', { pre_tokenizer: metaspace('first'), model: bpe(letters, spaced) }],
  ['BPE of SentencePiece, spaces always', { pre_tokenizer: metaspace('always'), model: bpe(letters, spaced) }],
  ['BPE of SentencePiece, spaces never', { pre_tokenizer: metaspace('never'), model: bpe(letters, spaced) }],
  [
    'BPE with normalizers in place of a pre-tokenizer',
    { normalizer: sequence({ type: 'Prepend', prepend: '▁' }, replace), model: bpe(letters, spaced) },
  ],
  [
    'Unigram that strips and composes',
    {
      normalizer: sequence({ type: 'Strip', strip_left: true, strip_right: true }, { type: 'NFKC' }),
      pre_tokenizer: metaspace('first'),
      model: unigram,
    },
  ],
  ['Unigram, spaces always', { pre_tokenizer: metaspace('always'), model: unigram }],
  ['WordPiece', { ...bert, model: wordPiece }],
];

const flags = { special: true, normalized: false, lstrip: false, rstrip: false, single_word: false };

function definitionOf(kind: object, more: readonly object[] = []): string {
  const added = [
    { ...flags, content: '<unk>' },
    { ...flags, content: '<|end|>' },
    { ...flags, content: '</s>' },
    ...more,
  ];
  return JSON.stringify({
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: added.map((token, index) => ({ id: index === 0 ? 0 : 900 + index, ...token })),
    normalizer: null,
    pre_tokenizer: null,
    post_processor: null,
    decoder: null,
    ...kind,
  });
}

async function open(json: string, limit = 2 ** 20) {
  const native = Tokenizer.fromString(json);
  const store = new SegmentStore();
  store.limit = limit;
  const encoder = await segmentEncoder(Buffer.from(json), native, store);
  const whole = async (text: string) => (await native.encode(text, null, { addSpecialTokens: false })).getIds();
  return { encoder, whole };
}

const pieces = [
  '<|end|>',
  '</s>',
  '<|end|>',
  '<|en',
  '</',
  's>',
  '<strip>',
  'word',
  '<S>',
  '</S>',
  ' ',
  '  ',
  '\n',
  ' \n',
  '\t\t ',
  '    ',
  'a',
  'b',
  'the',
  ' the',
  'ab ',
  'A',
  'É',
  'e\u0301',
  'ﬁ',
  '東',
  '🦊',
  '"',
  "'s",
  '.',
  '',
];

/** Texts that grow by a piece, mostly at their end. */
function* growing(turns: number): Generator<string> {
  let text = '';
  let state = 7;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  for (let turn = 0; turn < turns; turn++) {
    const at = random(6) === 0 ? random(text.length + 1) : text.length;
    text = text.slice(0, at) + (pieces[random(pieces.length)] ?? '') + text.slice(at);
    yield text;
  }
}

/** The first text whose segments have other ids than the whole, and how many ids were stored before. */
async function compare(json: string, limit?: number) {
  const { encoder, whole } = await open(json, limit);
  let reused = 0;
  for (const text of growing(300)) {
    const found = await encoder?.encode(text);
    if (found === undefined) continue;
    reused += found.reused;
    const ids = found.parts.flatMap((part) => [...part]);
    const expected = await whole(text);
    if (ids.join() !== expected.join()) return { text, ids, expected };
  }
  return reused > 5000 ? 'equal' : { reused };
}

describe('segmentEncoder', () => {
  it.each(kinds)('gives the tokens of the whole: %s', async (_, kind) => {
    expect(await compare(definitionOf(kind))).toBe('equal');
    expect(await compare(definitionOf(kind), 4096)).not.toHaveProperty('expected');
  });

  it.each(kinds)(
    'gives them beside tokens that take spaces away, and those of the normalized text: %s',
    async (_, kind) => {
      const strips = { ...flags, content: '<strip>', lstrip: true, rstrip: true };
      const normalized = { ...flags, content: '<S>', normalized: true };
      expect(await compare(definitionOf(kind, [strips, normalized]))).toBe('equal');
    },
  );

  it('cuts nothing where a token must be a word of its own', async () => {
    const word = { ...flags, content: 'word', single_word: true };
    expect((await open(definitionOf(kinds[0]?.[1] ?? {}, [word]))).encoder).toBeUndefined();
  });

  it('cuts nothing where the file says other than the tokenizer does', async () => {
    const json = definitionOf(kinds[2]?.[1] ?? {});
    const other = Tokenizer.fromString(
      definitionOf(kinds[2]?.[1] ?? {}, [{ ...flags, content: '<|end|>a', special: false }]),
    );
    expect(await segmentEncoder(Buffer.from(json), other, new SegmentStore())).toBeUndefined();
  });
});
