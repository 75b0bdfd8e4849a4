/** Milliseconds in which lost spans are told of once. */
const quietTime = 60_000;

/** Tells of lost spans: at once of the first ones, and after each quiet time of all that were lost in it. */
export function lostSpans(tell: (spans: number, reason: string) => void): (spans: number, reason: string) => void {
  let isQuiet = false;
  let lost = 0;
  let why = '';
  const tellAll = (): void => {
    isQuiet = lost > 0;
    if (!isQuiet) return;
    tell(lost, why);
    lost = 0;
    setTimeout(tellAll, quietTime).unref();
  };
  return (spans, reason) => {
    lost += spans;
    why = reason;
    if (!isQuiet) tellAll();
  };
}
