const formats = [2, 1, 0].map(
  (digits) => new Intl.NumberFormat('en', { minimumFractionDigits: digits, maximumFractionDigits: digits }),
);

/** A value with a useful number of digits. */
export function rounded(value: number): string {
  const size = Math.abs(value);
  return (formats[size < 100 ? 0 : size < 10_000 ? 1 : 2] as Intl.NumberFormat).format(value);
}

/** 0.42 as `42 %`. */
export function percentText(share: number): string {
  return `${Math.round(share * 100)} %`;
}
