import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { inRoot } from '../support/environment.ts';

const files = readdirSync(inRoot('dist'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.js'))
  .map((entry) => join(entry.parentPath, entry.name));

it('the built files name no folder of the machine that built them', () => {
  const named = files.filter((file) => {
    const text = readFileSync(file, 'utf8');
    return text.includes('.conch-b') || text.includes(inRoot('.'));
  });
  expect(named).toEqual([]);
});

it('a part says by its name what it holds, so that two builds never mix', () => {
  const parts = readdirSync(inRoot('dist/parts'));
  expect(parts.filter((name) => !/-[\w-]{8}\.js$/.test(name))).toEqual([]);
});
