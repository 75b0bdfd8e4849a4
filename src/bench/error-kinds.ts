/** The count of each kind of error, named by its first message, most frequent first. */
export function errorKinds(errors: readonly string[]): Readonly<Record<string, number>> {
  const kinds = new Map<string, { readonly text: string; count: number }>();
  for (const error of errors) {
    const text = printable(error);
    const kind = kindOf(text);
    const known = kinds.get(kind);
    if (known) known.count++;
    else kinds.set(kind, { text, count: 1 });
  }
  const sorted = [...kinds.values()].toSorted((a, b) => b.count - a.count);
  return Object.fromEntries(sorted.map(({ text, count }) => [text, count]));
}

const mostKinds = 10;

/** One line per kind, up to `mostKinds`. */
export function kindLines(kinds: Readonly<Record<string, number>>): string[] {
  const entries = Object.entries(kinds);
  const lines = entries.slice(0, mostKinds).map(([text, count]) => `  ${count} × ${printable(text)}`);
  return entries.length > mostKinds ? [...lines, `  and ${entries.length - mostKinds} more kinds`] : lines;
}

const status = /^HTTP \d+/;
const hexadecimal = /\b0x[\da-f]+\b|\b(?=[\da-f-]*\d)[\da-f]{6,}(?:-[\da-f]{4,})*\b/gi;

/** Errors that differ only in ids and numbers are of one kind; the HTTP status still distinguishes them. */
function kindOf(text: string): string {
  const [start = ''] = status.exec(text) ?? [];
  return (
    start +
    text
      .slice(start.length)
      .replace(hexadecimal, '#')
      .replace(/\d+(?:\.\d+)*/g, '#')
  );
}

/** Removes control characters: the text of a server must not control the terminal. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
}
