/** Texts that tokenizers cut inside characters and words, each in its own way. */
export const texts: readonly string[] = [
  'The quick brown fox  jumps   over the lazy dog.\n\nIt doesn\u2019t stop; 1234567 steps later…',
  '🦊🐶 👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 🇩🇪🇯🇵 1️⃣ 🫠🪿🩷 😀',
  '東京都に住んでいます。我喜欢吃饺子，他们去北京了。한국어 문장입니다. 𠮷野家 𩸽 龘靐齉',
  'مرحبا بالعالم، كيف حالكَ اليوم؟ שָׁלוֹם עֲלֵיכֶם हिन्दी में लिखा हुआ वाक्य ภาษาไทย',
  'e\u0301 a\u0308 o\u0302\u0323 Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́Ǫ̵̹̻̝̳͂̌̌͘',
  'def f(x):\n    if x:\n\t\treturn {\n\t\t\t"a":  [1, 2],\r\n        }\n\n\n    # ▁ and Ġ and <0x0A>\n',
  'ᚠᛇᚻ 𓀀𓂀 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 ꙮ ༄༅ ⠓⠑⠇⠇⠕ \u200b\u200d\u2060\ufeff\u00a0\u3000 ½ ﷽ \u0000\u0007\u001b[0m',
];

const metaspace = { type: 'Metaspace', replacement: '▁', split: true };
const replace = { type: 'Replace', pattern: { String: '▁' }, content: ' ' };
const fallback = { type: 'ByteFallback' };
const byteLevel = { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true };
const fuse = { type: 'Fuse' };
const strip = { type: 'Strip', content: ' ', start: 2, stop: 0 };
const spaced = ['▁a', '▁', '▁▁b', 'c', 'd▁', '中', ' e', '', '$&'];
const bytes = ['<0x20>', '<0xE4>', '<0xB8>', '<0xAD>', '<0x41>', '<0xFF>'];

/** Decoders as tokenizer.json may have them, with tokens that they treat in a special way. */
export const decoders: [name: string, { vocabulary: string[]; decoder: unknown }][] = [
  ['none', { vocabulary: spaced, decoder: null }],
  ['Metaspace', { vocabulary: spaced, decoder: { ...metaspace, prepend_scheme: 'always' } }],
  ['Metaspace that never prepends', { vocabulary: spaced, decoder: { ...metaspace, prepend_scheme: 'never' } }],
  [
    'WordPiece',
    {
      vocabulary: ['a', '##b', '.', '##.', "n't", 'x .', '##', ' do not', "'", "##'s", ''],
      decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    },
  ],
  ['Replace', { vocabulary: spaced, decoder: { ...replace, content: '$&' } }],
  ['Strip of each token', { vocabulary: spaced, decoder: { type: 'Sequence', decoders: [replace, strip] } }],
  ['Strip of the text', { vocabulary: spaced, decoder: { type: 'Sequence', decoders: [replace, fuse, strip] } }],
  [
    'ByteFallback in nested sequences',
    {
      vocabulary: [...spaced, ...bytes],
      decoder: { type: 'Sequence', decoders: [{ type: 'Sequence', decoders: [replace, fallback] }, fuse, strip] },
    },
  ],
  ['ByteFallback alone', { vocabulary: [...spaced, ...bytes], decoder: fallback }],
  [
    'ByteLevel',
    {
      vocabulary: ['Ġ', 'Ġa', 'ä', '¸', 'Ń', 'ÿ', 'ðŁĺ', 'Ģ', 'ä¸Ń', '', 'é', '中', 'a b'],
      decoder: { type: 'Sequence', decoders: [byteLevel, fuse, strip] },
    },
  ],
];
