import { expect, it } from 'vitest';
import { withExactSeeds } from './exact-seeds.ts';

const read = (json: string) => withExactSeeds(json, JSON.parse(json));
const nanoseconds = 1763256000123456789n;

it.each([
  ['{"seed":1763256000123456789}', { seed: nanoseconds }],
  ['{ "seed" :\n -9223372036854775808 , "n":1}', { seed: -(2n ** 63n), n: 1 }],
  ['{"options":{"seed":1763256000123456789,"top_k":1}}', { options: { seed: nanoseconds, top_k: 1 } }],
  ['{"seed":1,"seed":1763256000123456789}', { seed: nanoseconds }],
  [
    '{"a":"\\"seed\\":1","b":[{"seed":5}],"seed":1763256000123456789}',
    { a: '"seed":1', b: [{ seed: 5 }], seed: nanoseconds },
  ],
  ['{"seed":1763256000123456789,"options":{"seed":1}}', { seed: nanoseconds, options: { seed: 1 } }],
])('gives the seed of %s all of its digits', (json, body) => {
  expect(read(json)).toEqual(body);
});

it.each([
  '{"seed":7}',
  '{"seed":9007199254740991}',
  '{"seed":1.5}',
  '{"seed":1e18}',
  '{"seed":"1763256000123456789"}',
  `{"seed":${'9'.repeat(400)}}`,
  '{"s\\u0065ed":1763256000123456789}',
  '{"tools":[{"seed":1763256000123456789}],"metadata":{"seed":1763256000123456789}}',
  '{"seed":1763256000123456789,"seed":7}',
  '[{"seed":1763256000123456789}]',
  '"seed"',
])('leaves %s as it is parsed', (json) => {
  expect(read(json)).toEqual(JSON.parse(json));
});
