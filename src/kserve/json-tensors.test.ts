import { expect, it } from 'vitest';
import { tensorFromJson } from './json-tensors.ts';

it.each(['constructor', 'toString', '__proto__', '', 'int32'])('refuses the datatype %j', (datatype) => {
  expect(() => tensorFromJson({ name: 'x', datatype, data: [1], count: 1 })).toThrow('invalid datatype for input x');
});
