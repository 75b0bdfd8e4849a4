import { expect, it } from 'vitest';
import { allocationTree, byModule, costs, ownJavaScript, ownSource, timeTree } from './costs.mjs';

const frame = (/** @type {string} */ functionName, url = '', lineNumber = -1) => ({ functionName, url, lineNumber });
const nodes = [
  { id: 1, callFrame: frame('(root)'), children: [2, 3, 6] },
  { id: 2, callFrame: frame('(idle)') },
  { id: 3, callFrame: frame('emit', 'node:events'), children: [4] },
  { id: 4, callFrame: frame('serve', 'file:///x/other.js', 9), children: [5] },
  { id: 5, callFrame: frame('writev') },
  { id: 6, callFrame: frame('(garbage collector)') },
];
// A sample lasts until the next one: the last has no time.
const profile = { startTime: 0, nodes, samples: [2, 3, 4, 5, 6, 1], timeDeltas: [0, 50, 1, 2, 4, 8] };

it('gives each function the time that it ran itself', () => {
  const found = costs(timeTree(profile)).map(({ name, amount }) => [name, amount]);
  expect(found).toEqual([
    ['(garbage collector)', 8],
    ['writev', 4],
    ['serve', 2],
    ['emit', 1],
  ]);
});

it('counts native functions for their callers, where that is asked', () => {
  const found = costs(timeTree(profile), ownJavaScript).map(({ name, line, amount }) => [name, line, amount]);
  expect(found).toEqual([
    ['(garbage collector)', 0, 8],
    ['serve', 10, 6],
    ['emit', 0, 1],
  ]);
  expect(costs(timeTree(profile), ownSource).map(({ name }) => name)).toEqual(['(garbage collector)', 'emit']);
});

it('sums by file, the largest first', () => {
  const head = { id: 1, callFrame: frame('(root)'), selfSize: 5, children: [] };
  const inner = { id: 2, callFrame: frame('a', 'node:fs'), selfSize: 10, children: [] };
  const other = { id: 3, callFrame: frame('b', 'node:fs'), selfSize: 20, children: [] };
  const tree = allocationTree({ head: { ...head, children: [inner, other] } });
  expect(byModule(costs(tree)).map(([module, found]) => [module, found.map(({ amount }) => amount)])).toEqual([
    ['node:fs', [20, 10]],
  ]);
});
