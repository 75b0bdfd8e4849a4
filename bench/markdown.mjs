/**
 * A table as the formatter of this repository would have it.
 * @param {string[][]} rows the first is the heading
 */
export function markdownTable(rows) {
  const [heading = [], ...body] = rows;
  const widths = heading.map((_, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (/** @type {string[]} */ cells) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(heading), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}
