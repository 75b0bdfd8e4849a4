/** How words are set off. Each gives the text as it is where colours are not wanted. */
export interface Colours {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
}

/** Colours are for terminals that know them, and for people who have not said no: https://no-color.org. */
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
