/**
 * A table with titles, each column as wide as its widest cell. Cells are aligned left; with `holdsFigures`, all columns
 * but the first are aligned right.
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
