/**
 * Columns under their titles, as wide as their widest cell. They begin at the left; those behind the first end at the
 * right where they hold figures.
 */
export function table(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  { holdsFigures = false } = {},
): string {
  const lines = [titles, ...rows];
  const widths = titles.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const padded = (cell: string, column: number): string =>
    holdsFigures && column > 0 ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0);
  return lines.map((line) => line.map(padded).join('  ').trimEnd()).join('\n');
}
