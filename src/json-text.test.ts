import { expect, it } from 'vitest';
import { objectText } from './json-text.ts';

it('writes bigints in full, and all else as JSON.stringify does', () => {
  const plain = { a: 'x"', b: [1, { c: null }], d: undefined, e: true };
  expect(objectText(plain)).toBe(JSON.stringify(plain));
  expect(objectText({ ...plain, seed: 1763256000123456789n, 'f"': -1n })).toBe(
    '{"a":"x\\"","b":[1,{"c":null}],"e":true,"seed":1763256000123456789,"f\\"":-1}',
  );
});
