/** Columns under their titles: the first one begins at the left, the others end at the right. */
export function columns(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [titles, ...rows];
  const widths = titles.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const padded = (cell: string, column: number): string =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return lines.map((line) => line.map(padded).join('  ').trimEnd()).join('\n');
}

const formats = [2, 1, 0].map(
  (digits) => new Intl.NumberFormat('en', { minimumFractionDigits: digits, maximumFractionDigits: digits }),
);

/** A value with as many digits as are worth reading. */
export function rounded(value: number): string {
  const size = Math.abs(value);
  return (formats[size < 100 ? 0 : size < 10_000 ? 1 : 2] as Intl.NumberFormat).format(value);
}

/** 0.42 as `42 %`. */
export function percentText(share: number): string {
  return `${Math.round(share * 100)} %`;
}
