import { expect, it } from 'vitest';
import { runChecks } from './run-checks.mjs';

/**
 * A check that ends when it is told to.
 * @param {string} name
 * @param {string[]} found
 */
function heldCheck(name, found) {
  let end = () => {};
  /** @type {Promise<string[]>} */
  const outcome = new Promise((resolve) => {
    end = () => resolve(found);
  });
  return { name, problems: () => outcome, end: () => end() };
}

it('counts the problems of checks that run at the same time, whichever ends last', async () => {
  const lint = heldCheck('lint', ['a.ts:1: wrong', 'b.ts:2: wrong']);
  const types = heldCheck('types', ['c.ts:3: wrong']);
  const format = heldCheck('format', []);
  /** @type {string[]} */
  const said = [];
  const running = runChecks([lint, types, format], { atOnce: 2, say: (line) => said.push(line) });
  types.end();
  lint.end();
  format.end();
  expect(await running).toBe(3);
  expect(said.map((line) => line.replace(/ \([\d.]+ s\)$/, ''))).toEqual([
    'FAILED types',
    '  c.ts:3: wrong',
    'FAILED lint',
    '  a.ts:1: wrong',
    '  b.ts:2: wrong',
    'ok     format',
  ]);
});
