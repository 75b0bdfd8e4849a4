import { expect, it } from 'vitest';
import { missingFiles } from './named-files.mjs';

const files = ['src/http/api.ts', 'scripts/rooms.mjs', 'docs/decisions/sample.mjs'];

it.each([
  ['`src/http/api.ts`, `http/api.ts`, `api.ts`', []],
  ['`sample.mjs` and `scripts/rooms.mjs`, `--flag`, `api.json`', []],
  ['`src/http/NAME.ts` and `NAME.test.ts`', []],
  ['first\n`api.ts`, `http/routes.ts`', ['docs/page.md:2 names http/routes.ts, which is not there']],
  ['`routes.ts`', ['docs/page.md:1 names routes.ts, which is not there']],
])('of %j misses %j', (text, missing) => {
  expect(missingFiles(new Map([['docs/page.md', text]]), files)).toEqual(missing);
});
