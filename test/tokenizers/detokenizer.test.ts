import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Tokenizer as NativeTokenizer } from 'tokenizers';
import { describe, expect, it } from 'vitest';
import { Detokenizer } from '../../src/output/detokenizer.ts';
import { AssetError } from '../../src/prompt/asset-error.ts';
import { buildTokenTable } from '../../src/prompt/token-table.ts';
import { loadTokenizer } from '../../src/prompt/tokenizer.ts';
import { type TokenTable, tokenKind } from '../../src/tokenizer.ts';
import { type TokenizerName, tokenizerFolder } from '../support/environment.ts';
import { type Random, randomFrom } from './random.ts';
import { decoders, texts } from './samples.ts';

function idsOfKind({ kinds }: TokenTable, kind: number): number[] {
  return Array.from(kinds.keys()).filter((id) => ((kinds[id] ?? 0) & kind) !== 0);
}

/** Ids of the whole vocabulary and a few beyond it; in some sequences many that are no whole characters, or special. */
function randomSequences(table: TokenTable, random: Random, count: number): number[][] {
  const fragments = idsOfKind(table, tokenKind.byte | tokenKind.part);
  const special = idsOfKind(table, tokenKind.special);
  return Array.from({ length: count }, () => {
    const [fewFragments, fewSpecial] = [random(100), 90 + random(10)];
    const one = (): number | undefined => {
      if (random(100) >= fewFragments) return fragments[random(fragments.length)];
      return random(100) >= fewSpecial ? special[random(special.length)] : random(table.kinds.length + 20);
    };
    return Array.from({ length: 100 }, () => one() ?? random(table.kinds.length));
  });
}

/** Cuts of real texts of which an id is lost now and then, so that characters break where models break them. */
function textSequences(ids: readonly number[], random: Random, count: number): number[][] {
  return Array.from({ length: count }, (_, at) => {
    const start = random(ids.length);
    const cut = ids.slice(start, start + 1 + random(100));
    return at % 2 === 0 ? cut : cut.filter(() => random(20) > 0);
  });
}

/** The first few sequences of which not every piece goes on in the text of the whole, up to its end. */
async function broken(native: NativeTokenizer, table: TokenTable, sequences: readonly number[][]) {
  const found: unknown[] = [];
  for (const skipSpecialTokens of [true, false]) {
    for (let at = 0; at < sequences.length && found.length < 3; at += 500) {
      const batch = sequences.slice(at, at + 500);
      const wholes = await native.decodeBatch(batch, skipSpecialTokens);
      for (const [index, ids] of batch.entries()) {
        const pieces = goesOn(table, { ids, whole: wholes[index] ?? '', skipSpecialTokens });
        if (pieces !== undefined) found.push({ skipSpecialTokens, ids, whole: wholes[index], pieces });
      }
    }
  }
  return found.slice(0, 3);
}

/** Undefined when the pieces are the whole. */
function goesOn(
  table: TokenTable,
  { ids, whole, skipSpecialTokens }: { ids: readonly number[]; whole: string; skipSpecialTokens: boolean },
): string[] | undefined {
  const detokenizer = new Detokenizer(table, { skipSpecialTokens });
  const pieces: string[] = [];
  let length = 0;
  for (let at = 0; at <= ids.length; at++) {
    const piece = at < ids.length ? detokenizer.push(ids[at] ?? 0) : detokenizer.flush();
    pieces.push(piece);
    if (!whole.startsWith(piece, length)) return pieces;
    length += piece.length;
  }
  return length === whole.length ? undefined : pieces;
}

describe('text from token ids, piece by piece', () => {
  it.each<TokenizerName>(['llama2', 'llama3', 'qwen3', 'gemma3', 'mistral_nemo', 'deepseek_v3'])(
    'is what the native package makes of the whole: %s',
    async (family) => {
      const file = join(tokenizerFolder(family), 'tokenizer.json');
      const tokenizer = await loadTokenizer({ file });
      const table = await tokenizer.table?.();
      if (table === undefined) throw new Error(`${family} has no table`);
      expect(await tokenizer.table?.()).toBe(table);
      const native = NativeTokenizer.fromFile(file);
      const random = randomFrom(20_261_115);
      expect(await broken(native, table, randomSequences(table, random, 10_000))).toEqual([]);
      const ids = await tokenizer.encode(texts.join('\n'), { addSpecialTokens: true });
      expect(await broken(native, table, textSequences(Array.from(ids), random, 1000))).toEqual([]);
      // Each token once, since the random ones do not meet them all.
      const all = Array.from({ length: Math.ceil(table.kinds.length / 100) }, (_, row) =>
        Array.from({ length: 100 }, (_, column) => 100 * row + column),
      );
      expect(await broken(native, table, all)).toEqual([]);
    },
    120_000,
  );

  it.each(decoders)('follows the decoder that the file has: %s', async (_, { vocabulary, decoder }) => {
    const vocab = Object.fromEntries(vocabulary.map((token, id) => [token, id]));
    const definition = { version: '1.0', added_tokens: [], decoder, model: { type: 'BPE', vocab, merges: [] } };
    const native = NativeTokenizer.fromString(JSON.stringify(definition));
    const table = buildTokenTable(definition, (token) => native.tokenToId(token));
    const random = randomFrom(7);
    const sequences = Array.from({ length: 2000 }, () =>
      Array.from({ length: 1 + random(8) }, () => random(vocabulary.length + 1)),
    );
    expect(await broken(native, table, sequences)).toEqual([]);
  });

  it('is refused in words that name the step which cannot be followed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tokenizer-'));
    const file = join(folder, 'tokenizer.json');
    const decoder = { type: 'BPEDecoder', suffix: '</w>' };
    await writeFile(
      file,
      JSON.stringify({ version: '1.0', decoder, model: { type: 'BPE', vocab: { a: 0 }, merges: [] } }),
    );
    const tokenizer = await loadTokenizer({ file });
    const refusal = await tokenizer.table?.().catch((error: unknown) => error);
    await rm(folder, { recursive: true });
    expect(refusal).toEqual(
      new AssetError(`${file} cannot turn token ids into text: The decoder step BPEDecoder is not supported.`),
    );
  });
});
