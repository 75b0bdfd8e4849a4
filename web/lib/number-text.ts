/** Milliseconds as text: "84 ms", "2.12 s". */
export function timeText(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${numberText(milliseconds / 1000)} s`;
}

/** A number with three significant digits. */
export function numberText(figure: number): string {
  if (figure === 0) return '0';
  return figure >= 100 ? figure.toFixed(0) : figure >= 10 ? figure.toFixed(1) : figure.toFixed(2);
}
