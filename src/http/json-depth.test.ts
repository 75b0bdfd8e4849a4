import { describe, expect, it } from 'vitest';
import { nestsDeeper } from './json-depth.ts';

const nest = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

describe('the depth of JSON', () => {
  it.each([
    [nest(3), 3, false],
    [nest(4), 3, true],
    ['{"a":{"b":[1]}}', 3, false],
    ['{"a":{"b":[1]}}', 2, true],
    ['[[],[],[[]]]', 3, false],
    // Brackets in texts are none, wherever the texts end.
    [JSON.stringify(['[[[[', '{{{{', '\\', '"[[[[', '\\"[[[[']), 1, false],
    [String.raw`["\\\\",[["\\"]]]`, 3, false],
    [String.raw`["\\\\",[["\\"]]]`, 2, true],
    // What is no JSON is for the parser to refuse.
    ['["[[[[', 1, false],
    ['', 1, false],
    [']]]]', 1, false],
  ])('%s deeper than %i: %s', (json, most, deeper) => expect(nestsDeeper(json, most)).toBe(deeper));

  it('is known for a body of many megabytes', () => {
    expect(nestsDeeper(nest(1_000_000), 2_000_000)).toBe(false);
    expect(nestsDeeper(`["${'\\"'.repeat(1_000_000)}"]`, 1)).toBe(false);
    expect(nestsDeeper(`["${'\\\\'.repeat(1_000_000)}"]`, 1)).toBe(false);
  });
});
