import { expect, it } from 'vitest';
import { pathOf } from './path-of.ts';

it.each([
  ['/a/b', '/a/b'],
  ['/a?b=c?d', '/a'],
  ['/a?', '/a'],
])('the path of %s is %s', (url, path) => expect(pathOf(url)).toBe(path));
