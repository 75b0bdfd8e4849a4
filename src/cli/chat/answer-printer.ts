import type { Colours } from '../colours.ts';
import type { Part } from './answer.ts';

interface PrinterOptions {
  readonly write: (text: string) => void;
  readonly colours: Colours;
  readonly showsReasoning: boolean;
  /** What a model writes must not steer the terminal. */
  readonly isTerminal: boolean;
}

type Section = 'reasoning' | 'text' | 'call';

/** Prints one answer as it comes: its reasoning dimmed, its text, and the functions that it calls. */
export class AnswerPrinter {
  readonly #options: PrinterOptions;
  #section: Section | undefined;
  #endsLine = true;

  constructor(options: PrinterOptions) {
    this.#options = options;
  }

  show({ kind, text }: Part): void {
    const { colours, showsReasoning } = this.#options;
    const shown = this.#options.isTerminal ? withoutControls(text) : text;
    switch (kind) {
      case 'reasoning':
        if (!showsReasoning) return;
        this.#enter('reasoning');
        this.#write(shown, colours.dim(shown));
        break;
      case 'text':
        this.#enter('text');
        this.#write(shown);
        break;
      case 'call':
        this.#enter('call');
        this.#write(`→ ${shown}(`, `→ ${colours.bold(shown)}(`);
        break;
      case 'arguments':
        this.#write(shown);
        break;
    }
  }

  /** Ends the line that the answer has left open. */
  end(): void {
    this.#leave();
    this.#section = undefined;
  }

  #enter(section: Section): void {
    if (this.#section === section && section !== 'call') return;
    const before = this.#section;
    if (before !== undefined) this.#leave();
    if (before === 'reasoning') this.#write('\n');
    this.#section = section;
  }

  #leave(): void {
    if (this.#section === 'call') this.#write(')');
    if (!this.#endsLine) this.#write('\n');
  }

  #write(text: string, coloured = text): void {
    if (text === '') return;
    this.#endsLine = text.endsWith('\n');
    this.#options.write(coloured);
  }
}

/** A text whose control characters are seen instead of obeyed. */
export function withoutControls(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (character) => {
    if (character === '\n' || character === '\t') return character;
    const code = character.charCodeAt(0);
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : '\u{fffd}';
  });
}
