import type { Colours } from '../colours.ts';
import type { ResponsePart } from './chat-response.ts';

interface PrinterOptions {
  readonly write: (text: string) => void;
  readonly colours: Colours;
  readonly showsReasoning: boolean;
  /** Replace control characters, so that a response cannot control the terminal. */
  readonly isTerminal: boolean;
}

type Section = 'reasoning' | 'text' | 'call';

/** Prints one response as it arrives: dimmed reasoning, text, and tool calls. */
export class ResponsePrinter {
  readonly #options: PrinterOptions;
  #section: Section | undefined;
  #endsLine = true;

  constructor(options: PrinterOptions) {
    this.#options = options;
  }

  show({ kind, text }: ResponsePart): void {
    const { colours, showsReasoning } = this.#options;
    const displayText = this.#options.isTerminal ? withoutControls(text) : text;
    switch (kind) {
      case 'reasoning':
        if (!showsReasoning) return;
        this.#enter('reasoning');
        this.#write(displayText, colours.dim(displayText));
        break;
      case 'text':
        this.#enter('text');
        this.#write(displayText);
        break;
      case 'call':
        this.#enter('call');
        this.#write(`→ ${displayText}(`, `→ ${colours.bold(displayText)}(`);
        break;
      case 'arguments':
        this.#write(displayText);
        break;
    }
  }

  /** Ends the last line of the response. */
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

/** The text with visible symbols instead of control characters. */
export function withoutControls(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (character) => {
    if (character === '\n' || character === '\t') return character;
    const code = character.charCodeAt(0);
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : '\u{fffd}';
  });
}
