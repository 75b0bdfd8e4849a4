import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Tokenizer as NativeTokenizer } from 'tokenizers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadTokenizer } from '../../src/prompt/tokenizer.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'conch-pairs-'));
});
afterAll(() => rm(folder, { recursive: true }));

const special: [string, number] = ['#', 3];
const bare = { sep: special, cls: special };
const sequence = (id: string, type: number) => ({ Sequence: { id, type_id: type } });
const template = (...pair: object[]) => ({
  type: 'TemplateProcessing',
  single: [sequence('A', 0)],
  pair,
  special_tokens: {},
});

/** Post-processors of tokenizer.json files. */
const processors: [string, object | null][] = [
  ['no processor', null],
  ['byte level', { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true }],
  ['a template that tells the texts apart', template(sequence('A', 0), sequence('B', 1))],
  ['a template that does not', template(sequence('A', 0), sequence('B', 0))],
  ['BERT', { type: 'BertProcessing', ...bare }],
  ['RoBERTa', { type: 'RobertaProcessing', ...bare, trim_offsets: true, add_prefix_space: true }],
];

/** A tokenizer.json of single words with this post-processor. */
function definition(processor: object | null): string {
  return JSON.stringify({
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [],
    normalizer: null,
    pre_tokenizer: { type: 'Whitespace' },
    post_processor: processor,
    decoder: null,
    model: { type: 'WordLevel', vocab: { a: 0, b: 1, c: 2, '#': 3 }, unk_token: '#' },
  });
}

describe('a pair of texts', () => {
  it.each(processors)('has the ids and types of Hugging Face: %s', async (name, processor) => {
    const file = join(folder, `${name.replaceAll(' ', '-')}.json`);
    await writeFile(file, definition(processor));
    const tokenizer = await loadTokenizer({ file });
    const pairOf = async (second: string, mostOfSecond?: number) => {
      const pair = await tokenizer.encodePair?.('a b', second, mostOfSecond === undefined ? {} : { mostOfSecond });
      return { ids: Array.from(pair?.ids ?? []), types: Array.from(pair?.types ?? []) };
    };
    const own = NativeTokenizer.fromString(definition(processor));
    const isWanted = async (second: string) => {
      const pair = await own.encode('a b', second);
      return { ids: pair.getIds(), types: pair.getTypeIds() };
    };
    expect(await pairOf('b c c')).toEqual(await isWanted('b c c'));
    expect(await pairOf('b c c', 2)).toEqual(await isWanted('b c'));
    expect(await pairOf('')).toEqual(await isWanted(''));
  });
});
