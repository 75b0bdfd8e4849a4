import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { counterpartOf } from './other-flags.ts';
import { flagsOf, type Setting } from './setting.ts';
import { settingTable } from './settings.ts';

const known = new Set(Object.entries<Setting>(settingTable).flatMap(([name, setting]) => flagsOf(name, setting)));
const page = readFileSync(new URL('../../docs/migrating-from-vllm.md', import.meta.url), 'utf8');
const flags = (text: string): string[] => text.match(/--[a-z][a-z-]*/g) ?? [];
const reported = [...new Set(flags(page))].filter((flag) => counterpartOf(flag) !== undefined);

it('names flags that there are, and for flags that there are not', () => {
  expect(reported.filter((flag) => known.has(flag))).toEqual([]);
  const named = reported.flatMap((flag) => flags(counterpartOf(flag) ?? ''));
  expect(named.filter((flag) => !known.has(flag))).toEqual([]);
  expect(named).toContain('--tls-cert');
});

it.each([
  '--served-model-name',
  '--ssl-certfile',
  '--ssl-keyfile',
  '--enable-auto-tool-choice',
  '--tensor-parallel-size',
])('knows vLLM’s %s', (flag) => expect(reported).toContain(flag));

it('knows nothing of what is no flag of anybody', () => {
  expect(['--frobnicate', 'constructor', '--port'].map(counterpartOf)).toEqual([undefined, undefined, undefined]);
});
