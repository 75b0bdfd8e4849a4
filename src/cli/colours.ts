/** Emphasis for words. Without colours, each function returns the text unchanged. */
export interface Colours {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
}

/** Whether to use colours: on a terminal that supports them, unless NO_COLOR is set (https://no-color.org). */
export function wantsColours(
  isTerminal: boolean,
  { NO_COLOR: refusal, TERM: kind }: Readonly<Record<string, string | undefined>>,
): boolean {
  return isTerminal && (refusal ?? '') === '' && kind !== 'dumb';
}

/** The colours, or none. */
export function coloursFor(isColoured: boolean): Colours {
  const between = (begin: number, end: number) => (text: string) =>
    isColoured && text !== '' ? `\u001b[${begin}m${text}\u001b[${end}m` : text;
  return { bold: between(1, 22), dim: between(2, 22) };
}
