/** The longest line of a generated page. */
const width = 120;

/** A paragraph of Markdown in lines of at most 120 columns. */
export function paragraph(text: string): string {
  return breakLines(text, width).join('\n');
}

/** An item of a list, or of a list in a list with `depth` 1, in lines of at most 120 columns. */
export function listItem(text: string, depth = 0): string {
  const indent = '  '.repeat(depth);
  const lines = breakLines(text, width - indent.length - 2);
  return `${indent}- ${lines.join(`\n${indent}  `)}`;
}

/** A word as code. */
export function code(word: string): string {
  return `\`${word}\``;
}

/** Words as code, separated by commas. */
export function codeList(words: readonly string[]): string {
  return words.map(code).join(', ');
}

/** A plain text, such as a help text, as Markdown: its flags become code, its asterisks and angle brackets stay. */
export function fromPlainText(text: string): string {
  return text.replaceAll(/[\\*<]/g, '\\$&').replaceAll(/(?<![\w`-])--[a-z][\w-]*/g, '`$&`');
}

/** A link to a heading of the same page, or of another one. */
export function headingLink(heading: string, { text = heading, page = '' } = {}): string {
  const anchor = heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
  return `[${text}](${page}#${anchor})`;
}

function breakLines(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of wordsOf(text)) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}

/** The parts that a line may begin with. Code and links are not broken. */
function wordsOf(text: string): readonly string[] {
  const words: string[] = [];
  for (const [word] of text.matchAll(/(?:`[^`]*`|\[[^\]]+\]\([^)\s]+\)|\S)+/g)) {
    // At the start of a line, it would begin a list, a heading or a quote.
    const isMarker = /^(?:[-+*>]|#+|\d+[.)])$/.test(word);
    const before = isMarker ? words.pop() : undefined;
    words.push(before === undefined ? word : `${before} ${word}`);
  }
  return words;
}
