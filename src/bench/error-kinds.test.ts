import { describe, expect, it } from 'vitest';
import { errorKinds, kindLines } from './error-kinds.ts';

describe('errorKinds', () => {
  it('takes errors that differ in numbers and names of requests for one kind, but not those of two statuses', () => {
    expect(
      errorKinds([
        'HTTP 503: request 0f9a4be2-11aa-4c1d-9f00-0123456789ab waited 12.5 s',
        'HTTP 429: slow',
        'HTTP 503: request 1e9a4be2-22bb-4c1d-9f00-0123456789ab waited 7 s',
        'HTTP 503: request 2d9a4be2-33cc-4c1d-9f00-0123456789ab waited 9.25 s',
        'HTTP 500: slow',
      ]),
    ).toEqual({
      'HTTP 503: request 0f9a4be2-11aa-4c1d-9f00-0123456789ab waited 12.5 s': 3,
      'HTTP 429: slow': 1,
      'HTTP 500: slow': 1,
    });
    expect(errorKinds(['id 0x1f', 'id 0x2e4b77aa', 'id abc123def', 'id 77abcdef'])).toEqual({ 'id 0x1f': 4 });
  });

  it('has the most frequent first, and nothing that moves a cursor', () => {
    expect(Object.entries(errorKinds(['a', '\u001b[2Jb\r\n', '\u001b[2Jb\r\n']))).toEqual([
      [' [2Jb ', 2],
      ['a', 1],
    ]);
  });
});

describe('kindLines', () => {
  it('are ten at most', () => {
    const kinds = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`kind ${'abcdefghijkl'[index]}`, 2]));
    const lines = kindLines(kinds);
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([11, '  2 × kind a', '  and 2 more kinds']);
    expect(kindLines({ only: 1 })).toEqual(['  1 × only']);
  });
});
