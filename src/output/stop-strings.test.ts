import { describe, expect, it } from 'vitest';
import { StopStrings } from './stop-strings.ts';

function run(pieces: readonly string[], stops: readonly string[], keepsStop = false): string {
  const step = new StopStrings(stops, { keepsStop });
  return pieces.map((piece) => step.push(piece)).join('') + step.flush();
}

describe('StopStrings', () => {
  const text = 'one <|en two aab 😀 <|end|> three';

  it('gives the same text however the stream is cut', () => {
    for (let at = 0; at <= text.length; at++)
      for (let next = at; next <= text.length; next++) {
        const pieces = [text.slice(0, at), text.slice(at, next), text.slice(next)];
        expect(run(pieces, ['<|end|>'])).toBe('one <|en two aab 😀 ');
        expect(run(pieces, ['<|end|>'], true)).toBe('one <|en two aab 😀 <|end|>');
        expect(run(pieces, ['three', '|> t', 'aac', '😁'])).toBe('one <|en two aab 😀 <|end');
        expect(run(pieces, ['never'])).toBe(text);
      }
  });

  it('gives the same text one character at a time', () => {
    for (const stops of [['aab'], ['<|end|>', '|en two'], ['b 😀'], ['e']]) {
      expect(run(Array.from(text), stops)).toBe(run([text], stops));
    }
  });

  it('holds back only what could still be a stop sequence', () => {
    const step = new StopStrings(['<|end|>', '\n\nUser:']);
    expect(step.push('Hello')).toBe('Hello');
    expect(step.push(' <')).toBe(' ');
    expect(step.push('b>')).toBe('<b>');
    expect(step.push('\n')).toBe('');
    expect(step.push('\n')).toBe('');
    expect(step.push('\n')).toBe('\n');
    expect(step.push('Use')).toBe('');
    expect(step.push('d')).toBe('\n\nUsed');
    expect(step.found).toBeUndefined();
  });

  it('takes the stop sequence that is complete first, and of two the longer', () => {
    expect(run(['abcd'], ['abcd', 'bc'])).toBe('a');
    expect(run(['xabc'], ['bc', 'abc'])).toBe('x');
  });

  it('says which one it found and is silent from then on', () => {
    const step = new StopStrings(['stop']);
    expect(step.push('do stop now')).toBe('do ');
    expect(step.found).toBe('stop');
    expect(step.push('more')).toBe('');
    expect(step.flush()).toBe('');
  });

  it('falls back inside a repeating stop sequence', () => {
    expect(run(Array.from('aaaab'), ['aaab'])).toBe('a');
    expect(run(Array.from('ababac'), ['abac'])).toBe('ab');
  });

  it('takes linear time for a long stop sequence that nearly matches again and again', () => {
    const stop = `${'a'.repeat(50_000)}b`;
    const step = new StopStrings([stop]);
    let length = 0;
    for (let piece = 0; piece < 200; piece++) length += step.push('a'.repeat(1000)).length;
    expect(length + step.flush().length).toBe(200_000);
  });

  it('ignores empty stop sequences and passes all through without any', () => {
    expect(run(['a', 'b'], [''])).toBe('ab');
    expect(run(['a', 'b'], [])).toBe('ab');
  });
});
