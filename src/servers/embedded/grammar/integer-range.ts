/** The right-hand side of a rule for the integers from least to most; undefined: no limit. */
export function integerRange(least: number | undefined, most: number | undefined): string {
  const parts: string[] = [];
  if (least === undefined || least < 0) {
    // The negative ones, by their absolute values.
    const from = most !== undefined && most < 0 ? -most : 1;
    const to = least === undefined ? undefined : -least;
    parts.push(...magnitudes(from, to).map((part) => `"-" ${part}`));
  }
  if (most === undefined || most >= 0) parts.push(...magnitudes(Math.max(0, least ?? 0), most));
  return `(${parts.join(' | ')})`;
}

/** Numbers without an upper limit have at most this many digits after the first. */
const maxDigits = 15;

/** Alternatives for the numbers of a range, without a sign. */
function magnitudes(from: number, to: number | undefined): string[] {
  if (to === undefined) {
    const digits = String(from).length;
    // All numbers with as many digits as `from`, then all longer ones.
    const same = magnitudes(from, Math.min(10 ** digits - 1, Number.MAX_SAFE_INTEGER));
    return digits > maxDigits ? same : [...same, `[1-9] [0-9]{${digits},${maxDigits}}`];
  }
  const parts: string[] = [];
  for (let low = from; low <= to; ) {
    const high = Math.min(to, 10 ** String(low).length - 1);
    parts.push(...sameLength(String(low), String(high)));
    low = high + 1;
  }
  return parts;
}

/** Alternatives for the numbers between two of the same number of digits. */
function sameLength(low: string, high: string): string[] {
  if (low === high) return [`"${low}"`];
  if (low.length === 1) return [`[${low}-${high}]`];
  const [first = '', ...lowRest] = low;
  const [last = '', ...highRest] = high;
  const digits = lowRest.length;
  if (first === last) return sameLength(lowRest.join(''), highRest.join('')).map((part) => `"${first}" ${part}`);
  const parts: string[] = [];
  const isLowRound = lowRest.every((digit) => digit === '0');
  const isHighRound = highRest.every((digit) => digit === '9');
  if (!isLowRound) parts.push(...sameLength(lowRest.join(''), '9'.repeat(digits)).map((part) => `"${first}" ${part}`));
  const middleFrom = Number(first) + (isLowRound ? 0 : 1);
  const middleTo = Number(last) - (isHighRound ? 0 : 1);
  if (middleFrom <= middleTo) parts.push(`[${middleFrom}-${middleTo}] [0-9]{${digits}}`);
  if (!isHighRound) parts.push(...sameLength('0'.repeat(digits), highRest.join('')).map((part) => `"${last}" ${part}`));
  return parts;
}
