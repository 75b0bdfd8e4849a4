import { expect, it } from 'vitest';
import { filesToRunAgain } from './again-reporter.ts';

const passed = { path: 'passed', failed: false, began: 0, ended: 100 };
const before = { path: 'before', failed: true, began: 0, ended: 29 };
const during = { path: 'during', failed: true, began: 35, ended: 38 };
const across = { path: 'across', failed: true, began: 10, ended: 90 };
const outages = [
  { began: 30, ended: 40 },
  { began: 80, ended: 85 },
];

it.each([
  ['nothing where all passed', [passed], []],
  ['what failed in an outage', [passed, during, across], ['during', 'across']],
  ['nothing where one failed at another time', [during, before], []],
])('runs again %s', (_, runs, paths) => {
  expect(filesToRunAgain(runs, outages)).toEqual(paths);
});

it('runs nothing again where the server never died', () => {
  expect(filesToRunAgain([during], [])).toEqual([]);
});
