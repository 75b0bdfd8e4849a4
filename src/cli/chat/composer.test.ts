import { describe, expect, it } from 'vitest';
import { Composer } from './composer.ts';

/** The messages that lines make; pasted ones begin with |. */
function messagesOf(...lines: readonly string[]): string[] {
  const composer = new Composer();
  return lines.flatMap((line) => composer.take(line.replace(/^\|/, ''), line.startsWith('|')) ?? []);
}

describe('Composer', () => {
  it.each<[string, string[], string[]]>([
    ['a line', ['one', 'two'], ['one', 'two']],
    ['an empty line', [''], ['']],
    ['a line that goes on', ['one\\', '  two\\', 'three', 'four'], ['one\n  two\nthree', 'four']],
    ['a fence', ['"""', 'one\\', '', 'two', '"""', 'three'], ['one\\\n\ntwo', 'three']],
    ['a fence on the lines themselves', ['"""one', 'two"""  '], ['one\ntwo']],
    ['a fence on one line', ['"""one"""'], ['one']],
    ['a fence that is never closed', ['"""one', 'two'], []],
    ['what is pasted, up to the line that is ended by hand', ['|one', '|', '|two', 'three'], ['one\n\ntwo\nthree']],
    ['a paste inside a fence', ['"""', '|one', '|two', '"""'], ['one\ntwo']],
  ])('makes messages of %s', (_, lines, messages) => {
    expect(messagesOf(...lines)).toEqual(messages);
  });

  it('forgets what has begun', () => {
    const composer = new Composer();
    composer.take('"""one');
    expect(composer.isPending).toBe(true);
    composer.clear();
    expect(composer.isPending).toBe(false);
    expect(composer.take('two')).toBe('two');
  });
});
