import { expect, it } from 'vitest';
import { servedName, taggedName } from './tagged-names.ts';

it('a name is listed with a tag', () => {
  expect(['toy', 'toy:latest', 'toy:8b', 'org/toy'].map(taggedName)).toEqual([
    'toy:latest',
    'toy:latest',
    'toy:8b',
    'org/toy:latest',
  ]);
});

it('the usual tag can be added to a name, unless it is part of one', () => {
  const models = { targets: () => new Map([['tagged:latest', 'toy']]) };
  const names = ['toy', 'toy:latest', 'toy:8b', 'tagged:latest', 'unknown:latest', ':latest'];
  expect(names.map((name) => servedName(name, models))).toEqual([
    'toy',
    'toy',
    'toy:8b',
    'tagged:latest',
    'unknown',
    '',
  ]);
});
