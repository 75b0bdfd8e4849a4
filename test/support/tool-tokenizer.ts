import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tokenizerFolder } from './environment.ts';

interface AddedToken {
  readonly id: number;
  readonly content: string;
  readonly special: boolean;
}

/** A tokenizer folder of a test's own. */
interface OwnTokenizer {
  readonly folder: string;
  readonly remove: () => void;
}

/** Qwen's tokenizer with further special tokens. */
export function tokenizerWith(specials: readonly string[]): OwnTokenizer {
  const source = tokenizerFolder('qwen3');
  const folder = mkdtempSync(join(tmpdir(), 'conch-tokenizer-'));
  const tokenizer = JSON.parse(readFileSync(join(source, 'tokenizer.json'), 'utf8')) as { added_tokens: AddedToken[] };
  const [first] = tokenizer.added_tokens;
  const next = Math.max(...tokenizer.added_tokens.map(({ id }) => id)) + 1;
  const added = specials.map((content, at) => ({ ...first, id: next + at, content, special: true }));
  writeFileSync(
    join(folder, 'tokenizer.json'),
    JSON.stringify({ ...tokenizer, added_tokens: [...tokenizer.added_tokens, ...added] }),
  );
  copyFileSync(join(source, 'tokenizer_config.json'), join(folder, 'tokenizer_config.json'));
  return { folder, remove: () => rmSync(folder, { recursive: true }) };
}
