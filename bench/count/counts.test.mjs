import { expect, it } from 'vitest';
import { countTable, perToken } from './counts.mjs';

it('a token takes what a longer response takes more', () => {
  expect(perToken({ bytes: 1128, objects: 140 }, { bytes: 1000, objects: 12 }, 128)).toEqual({ bytes: 1, objects: 1 });
});

it('the table has a column for each program and unit', () => {
  const counts = (/** @type {number} */ bytes) => ({
    token: { bytes, objects: 2.25 },
    request: { bytes: 9, writes: 1 },
  });
  const rows = countTable([
    { name: 'working tree', counts: counts(10) },
    { name: 'abc', counts: counts(20) },
  ]).split('\n');
  expect([rows[0], rows[2], rows[3], rows.at(-2)].map((row) => row?.replace(/ +/g, ' '))).toEqual([
    '| per | token: working tree | token: abc | request: working tree | request: abc |',
    '| bytes allocated | 10 | 20 | 9 | 9 |',
    '| objects allocated | 2.3 | 2.3 | | |',
    '| calls of write | | | 1.00 | 1.00 |',
  ]);
});
