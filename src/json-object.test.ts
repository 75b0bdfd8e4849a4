import { expect, it } from 'vitest';
import { parseJsonObject } from './json-object.ts';

it.each([
  ['{"a":[1]}', { a: [1] }],
  ['{}', {}],
  ['[{}]', undefined],
  ['null', undefined],
  ['"text"', undefined],
  ['7', undefined],
  ['{"a":', undefined],
  ['', undefined],
])('%s is read as an object, or as none', (text, object) => {
  expect(parseJsonObject(text)).toEqual(object);
});
