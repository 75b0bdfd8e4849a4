import { describe, expect, it } from 'vitest';
import { coloursFor, wantsColours } from './colours.ts';

describe('wantsColours', () => {
  it.each([
    [true, {}, true],
    [true, { NO_COLOR: '' }, true],
    [true, { NO_COLOR: '1' }, false],
    [true, { NO_COLOR: '0' }, false],
    [true, { TERM: 'dumb' }, false],
    [true, { TERM: 'xterm' }, true],
    [false, {}, false],
  ])('terminal %s, %j: %s', (isTerminal, environment, expected) => {
    expect(wantsColours(isTerminal, environment)).toBe(expected);
  });
});

describe('coloursFor', () => {
  it('sets off what is there', () => {
    expect(coloursFor(true).bold('a')).toBe('\u001b[1ma\u001b[22m');
    expect(coloursFor(true).dim('')).toBe('');
    expect(coloursFor(false).dim('a')).toBe('a');
  });
});
