/** A tokenizer that was learnt from Conch's own documentation, and prompts of given lengths made of the same text. */
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Tokenizer } from 'tokenizers';
import { LOGS } from '../processes.mjs';
import { spelling, writeTokenizer } from '../tokenizer.mjs';
import { learnMerges } from './merges.mjs';

const DOCS = fileURLToPath(new URL('../../docs/', import.meta.url));
const MERGES = 8000;

/** @param {number[]} lengths in tokens */
export async function preparePrompts(lengths) {
  const folder = mkdtempSync(path.join(LOGS, 'tokenizer-'));
  const pages = readdirSync(DOCS).filter((name) => name.endsWith('.md') && name !== 'benchmarks.md');
  const text = pages
    .toSorted()
    .map((name) => readFileSync(path.join(DOCS, name), 'utf8'))
    .join('\n');
  writeTokenizer(folder, learnMerges(text, MERGES, spelling));
  const tokenizer = Tokenizer.fromFile(path.join(folder, 'tokenizer.json'));
  const perCharacter = (await tokenizer.encode(text)).getLength() / text.length;
  const files = lengths.map((length) => {
    const characters = Math.round(length / perCharacter);
    const file = path.join(folder, `prompt-${length}.txt`);
    writeFileSync(file, text.repeat(Math.ceil(characters / text.length)).slice(0, characters));
    return file;
  });
  return { folder, files };
}
