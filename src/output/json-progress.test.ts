import { describe, expect, it } from 'vitest';
import { JsonProgress } from './json-progress.ts';

const right = [
  '{}',
  ' [ ] ',
  '{"a": [1, -0, 0.5, 1e9, 1E+2, -12.25e-3, true, false, null, ""], "b\\u00e9\\n\\"": {"c": {}}}\n',
  '"text with { and \\\\ and 👩‍👩‍👧"',
  '0',
  '-1.5',
  'null',
  '[[[[]]], {"a":{"a":[{}]}}]',
];
const wrong = [
  'Here is: {}',
  '{} {}',
  '{"a":1,}',
  '[1,]',
  '[,1]',
  '{a:1}',
  "{'a':1}",
  '{"a" 1}',
  '{"a":}',
  '{"a":1]',
  '01',
  '1.',
  '.5',
  '+1',
  '-',
  '1e',
  '--1',
  'tru',
  'True',
  'nulll',
  '"a\nb"',
  '"\\x"',
  '"\\u12g4"',
  '```json\n{}\n```',
  '',
  '   ',
  '{',
  '["a"',
  '"a',
];

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const read = (...pieces: string[]): boolean => {
  const progress = new JsonProgress();
  return pieces.every((piece) => progress.push(piece)) && progress.isComplete;
};

describe('JsonProgress', () => {
  it.each([...right, ...wrong])('says of %j what JSON.parse does, however it is cut', (text) => {
    for (let at = 0; at <= text.length; at++) expect(read(text.slice(0, at), text.slice(at))).toBe(isJson(text));
    expect(read(...text.split(''))).toBe(isJson(text));
  });

  it('says so at the first character that is wrong', () => {
    const locations = ['Here', '{"a": tru}', '{} x', '[1,]', '{"a":1]'].map((text) => {
      const progress = new JsonProgress();
      return text.split('').findIndex((character) => !progress.push(character));
    });
    expect(locations).toEqual([0, 9, 3, 3, 6]);
  });

  it('wants an object where it must be one', () => {
    const progress = (text: string) => new JsonProgress({ mustBeObject: true }).push(text);
    expect([progress(' {"a":[1]}'), progress(' [1]'), progress('"a"')]).toEqual([true, false, false]);
  });

  it('agrees with JSON.parse on texts that are nearly right', () => {
    let state = 3;
    const random = (limit: number): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * limit);
    };
    const alphabet = '{}[]",:\\u0123 etrufalsn-+.';
    let complete = 0;
    for (let round = 0; round < 30_000; round++) {
      const text = right[random(right.length)] ?? '';
      const at = random(text.length);
      const changed = text.slice(0, at) + alphabet[random(alphabet.length)] + text.slice(at + random(3));
      const verdict = read(changed);
      if (verdict) complete++;
      if (verdict !== isJson(changed)) throw new Error(`It says ${verdict} of ${changed}`);
    }
    expect(complete).toBeGreaterThan(1000);
  });
});
