import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { licences } from './licences.mjs';

/** @param {Record<string, string>} files by their path in node_modules */
function packages(files) {
  const folder = mkdtempSync(join(tmpdir(), 'conch-licences-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, 'node_modules', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return (/** @type {string} */ name) => join(folder, 'node_modules', name);
}

it('every package stands with its text once, also one whose text is kept here', () => {
  const path = packages({
    '@a/b/package.json': '{"name":"@a/b","version":"1.0.0","license":"ISC"}',
    '@a/b/LICENSE.md': 'As you like.',
    'pgpass/package.json': '{"name":"pgpass","version":"1.0.5","license":"MIT"}',
  });
  const modules = ['@a/b/x.js', '@a/b/y.js', 'pgpass/lib/index.js', '.conch-build-1/src/main.js'].map(path);
  const text = licences([...modules, '/elsewhere/src/main.js']);
  expect(text.split(`\n${'-'.repeat(80)}\n`).map((part) => part.trim().split('\n').slice(0, 5))).toEqual([
    ['@a/b 1.0.0 (ISC)', '', 'As you like.'],
    ['pgpass 1.0.5 (MIT)', '', 'MIT License', '', 'Copyright (c) 2013-2016 Hannes Hörl'],
  ]);
});

it('a package without a text fails the build', () => {
  const path = packages({ 'c/package.json': '{"name":"c","version":"1.0.0","license":"MIT"}' });
  expect(() => licences([path('c/index.js')])).toThrow('Put the text into scripts/licences/c.txt.');
});
