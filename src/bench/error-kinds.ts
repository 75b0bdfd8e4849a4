/** How often each kind of error came, by the words of its first one, the most frequent first. */
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

/** A line for each kind, but no more than anybody reads. */
export function kindLines(kinds: Readonly<Record<string, number>>): string[] {
  const entries = Object.entries(kinds);
  const lines = entries.slice(0, mostKinds).map(([text, count]) => `  ${count} × ${printable(text)}`);
  return entries.length > mostKinds ? [...lines, `  and ${entries.length - mostKinds} more kinds`] : lines;
}

const status = /^HTTP \d+/;
const hexadecimal = /\b0x[\da-f]+\b|\b(?=[\da-f-]*\d)[\da-f]{6,}(?:-[\da-f]{4,})*\b/gi;

/** Words that name a request, a time or an amount are of the same kind; the status is not one of them. */
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

/** What a server sends must not move the cursor of a terminal. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
}
