import { describe, expect, it } from 'vitest';
import { coloursFor } from '../colours.ts';
import type { ResponsePart } from './chat-response.ts';
import { ResponsePrinter } from './response-printer.ts';

const terminal = { isTerminal: true, showsReasoning: true, isColoured: false };

/** What is printed of an answer; `kind:text` each. */
function printed(parts: readonly string[], options: Partial<typeof terminal> = {}): string {
  const { isColoured, ...others } = { ...terminal, ...options };
  let text = '';
  const printer = new ResponsePrinter({
    ...others,
    colours: coloursFor(isColoured),
    write: (piece) => (text += piece),
  });
  for (const part of parts) {
    const [, kind, words = ''] = /^(\w+):(.*)$/s.exec(part) ?? [];
    printer.show({ kind: kind as ResponsePart['kind'], text: words });
  }
  printer.end();
  return text;
}

describe('ResponsePrinter', () => {
  it.each<[string, string[], string]>([
    ['text', ['text:A ', 'text:shell.'], 'A shell.\n'],
    ['text that ends its line', ['text:A shell.\n'], 'A shell.\n'],
    ['nothing', [], ''],
    ['reasoning and text', ['reasoning:Hm.', 'text:A shell.'], 'Hm.\n\nA shell.\n'],
    ['reasoning alone', ['reasoning:Hm', 'reasoning:.\n'], 'Hm.\n'],
    [
      'calls',
      ['text:I look.', 'call:find', 'arguments:{"a":', 'arguments:1}', 'call:now'],
      'I look.\n→ find({"a":1})\n→ now()\n',
    ],
    ['controls', ['text:\u001b[2Ja\tb\r\n\u0085'], '␛[2Ja\tb␍\n\u{fffd}\n'],
  ])('prints %s', (_, parts, text) => {
    expect(printed(parts)).toBe(text);
  });

  it('leaves out reasoning on request', () => {
    expect(printed(['reasoning:Hm.', 'text:A shell.'], { showsReasoning: false })).toBe('A shell.\n');
  });

  it('gives a pipe the text as it is', () => {
    expect(printed(['text:\u001b[2Ja\r\n'], { isTerminal: false })).toBe('\u001b[2Ja\r\n');
  });

  it('dims reasoning and sets the names of functions off', () => {
    expect(printed(['reasoning:Hm.', 'call:find', 'text:A.'], { isColoured: true })).toBe(
      '\u001b[2mHm.\u001b[22m\n\n→ \u001b[1mfind\u001b[22m()\nA.\n',
    );
  });
});
