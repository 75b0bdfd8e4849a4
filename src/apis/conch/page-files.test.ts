import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readPage } from './page-files.ts';

it('reads a built page, each file with its form in gzip', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'conch-page-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'assets'));
  const files = {
    'index.html': 'page',
    'icon.svg': 'icon',
    'assets/a-12345678.css': 'style',
    'index.html.gz': 'small',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const read = (await readPage(folder)).map(({ path, type, body, zipped, isHashed }) => ({
    path,
    type,
    body: String(body),
    zipped: zipped && String(zipped),
    isHashed,
  }));
  expect(read.toSorted((left, right) => left.path.localeCompare(right.path))).toEqual([
    { path: '/', type: 'text/html; charset=utf-8', body: 'page', zipped: 'small', isHashed: false },
    {
      path: '/assets/a-12345678.css',
      type: 'text/css; charset=utf-8',
      body: 'style',
      zipped: undefined,
      isHashed: true,
    },
    { path: '/icon.svg', type: 'image/svg+xml', body: 'icon', zipped: undefined, isHashed: false },
  ]);
});
