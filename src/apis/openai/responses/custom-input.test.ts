import { assert, nat, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bestCost } from '../../../../test/support/cpu-cost.ts';
import { CustomInput } from './custom-input.ts';

function read(pieces: readonly string[]): string {
  const input = new CustomInput();
  return pieces.map((piece) => input.push(piece)).join('') + input.end();
}

const patch = '*** Begin Patch\n+a "quoted" \\ path\ttab\u0001 é 😀 {"input":"x"}\n*** End Patch';

describe('the input of a custom tool', () => {
  it('is the same however the arguments are cut', () => {
    for (const json of [JSON.stringify({ input: patch }), '{ "input" : "\\ud83d\\ude00\\u00e9\\/\\b" }']) {
      const { input } = JSON.parse(json) as { input: string };
      for (let at = 0; at <= json.length; at++) expect(read([json.slice(0, at), json.slice(at)])).toBe(input);
      expect(read(json.split(''))).toBe(input);
    }
  });

  it('is what was written, for any text', () => {
    assert(
      property(string({ unit: 'binary', maxLength: 30 }), nat(20), (text, size) => {
        const json = JSON.stringify({ input: text });
        const pieces = json.match(new RegExp(`[^]{1,${size + 1}}`, 'g')) ?? [];
        expect(read(pieces)).toBe(text);
      }),
      { numRuns: 50 },
    );
  });

  it('comes as soon as its text is known, in whole characters', () => {
    const input = new CustomInput();
    const pieces = ['{"inp', 'ut": "ab', 'c\\', 'n\\u00', 'e9\\ud83d', '\\ude00 d', '"}', ' '];
    expect(pieces.map((piece) => input.push(piece))).toEqual(['', 'ab', 'c', '\n', 'é', '😀 d', '', '']);
    expect(input.end()).toBe('');
  });

  it('takes no longer for arguments of another shape', () => {
    const many = <Item>(count: number, make: (at: number) => Item): Item[] =>
      Array.from({ length: count }, (_, at) => make(at));
    const inside = ['{"input":"', ...many(20_000, () => '    x'), '"}'];
    const shapes = [
      many(20_000, () => '     '),
      ['{"patch":"', ...many(20_000, () => '    x'), '"}'],
      ['{"input":"a"', ...many(20_000, () => '     '), '}'],
    ];
    const reference = bestCost(() => read(inside));
    for (const shape of shapes) expect(bestCost(() => read(shape))).toBeLessThan(20 * reference);
  });

  it.each([
    ['{"patch":"x"}', '{"patch":"x"}'],
    ['{"a":1,"input":"x"}', 'x'],
    ['"plain"', 'plain'],
    ['*** Begin Patch', '*** Begin Patch'],
    ['{"input":5}', '{"input":5}'],
    ['null', 'null'],
    ['', ''],
    ['{"input":"cut o', 'cut o'],
    ['{"input":"cut \\', 'cut '],
    ['{"input":"half \\ud83d', 'half \ud83d'],
    ['{"input":"bad \\uzzzz"}', 'bad \\uzzzz'],
    ['{"input":"a","more":"b"}', 'a'],
    ['{"input":"a", "mor', 'a'],
    ['{"input":"a"}}\n', 'a'],
    ['{"input":"a"} Done.', 'a'],
    ['{"input":"say "hi"\\n\\u00e9 now"}', 'say "hi"\né now'],
    ['{"input":"f("a", {b: "c"}, "d")" }\n', 'f("a", {b: "c"}, "d")'],
    ['{"input":"a "cut quo', 'a "cut quo'],
    [' {"inp', ' {"inp'],
    ['{"in put":"a"}', '{"in put":"a"}'],
  ])('of the arguments %s is %j', (json, input) => {
    expect(read([json])).toBe(input);
    expect(read(json.split(''))).toBe(input);
  });
});
