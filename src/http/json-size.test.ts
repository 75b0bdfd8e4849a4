import { describe, expect, it } from 'vitest';
import { exceededBound } from './json-size.ts';

const nest = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
const unbound = Number.POSITIVE_INFINITY;

describe('the depth of JSON', () => {
  it.each([
    [nest(3), 3, undefined],
    [nest(4), 3, 'depth'],
    ['{"a":{"b":[1]}}', 3, undefined],
    ['{"a":{"b":[1]}}', 2, 'depth'],
    ['[[],[],[[]]]', 3, undefined],
    // Brackets in texts are none, wherever the texts end.
    [JSON.stringify(['[[[[', '{{{{', '\\', '"[[[[', '\\"[[[[']), 1, undefined],
    [String.raw`["\\\\",[["\\"]]]`, 3, undefined],
    [String.raw`["\\\\",[["\\"]]]`, 2, 'depth'],
    // What is no JSON is for the parser to refuse.
    ['["[[[[', 1, undefined],
    ['', 1, undefined],
    [']]]]', 1, undefined],
  ])('%s within %i: %s', (json, depth, broken) => expect(exceededBound(json, { depth, values: unbound })).toBe(broken));

  it('is known for a body of many megabytes', () => {
    expect(exceededBound(nest(1_000_000), { depth: 2_000_000, values: unbound })).toBeUndefined();
    expect(exceededBound(`["${'\\"'.repeat(1_000_000)}"]`, { depth: 1, values: 2 })).toBeUndefined();
    expect(exceededBound(`["${'\\\\'.repeat(1_000_000)}"]`, { depth: 1, values: 2 })).toBeUndefined();
  });
});

describe('the number of values in JSON', () => {
  it.each([
    ['[{},{},{}]', 7, undefined],
    ['[{},{},{}]', 6, 'values'],
    ['{"a":1,"b":2,"c":3}', 4, undefined],
    ['{"a":1,"b":2,"c":3}', 3, 'values'],
    ['[",,,,,[[[["]', 2, undefined],
    ['1', 1, undefined],
  ])('%s within %i: %s', (json, values, broken) =>
    expect(exceededBound(json, { depth: unbound, values })).toBe(broken),
  );
});
