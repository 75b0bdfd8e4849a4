/** The maximum length of a regular expression, in characters. */
export const longestPattern = 4096;

/** The maximum characters of a pattern with its counted repetitions expanded. */
const mostWrittenOut = 100_000;

/**
 * The error of a regular expression; undefined if it is valid. It is never run here. It is compiled without the flag u:
 * with it, many `\p{…}` take long, because their character sets are looked up. Without it, only the syntax is read.
 */
export function patternError(pattern: string): string | undefined {
  if (pattern.length > longestPattern) return `is longer than ${longestPattern} characters.`;
  try {
    RegExp(inJavaScript(pattern));
  } catch {
    return 'is not a valid regular expression.';
  }
  if (writtenOut(pattern) > mostWrittenOut)
    return `repeats too much: written out it has more than ${mostWrittenOut} characters.`;
  return undefined;
}

/** Backends use Python's syntax, which writes named groups in another way. */
export function inJavaScript(pattern: string): string {
  return pattern.replaceAll('(?P<', '(?<').replaceAll(/\(\?P=(\w+)\)/g, String.raw`\k<$1>`);
}

const repetition = /\{(\d+)(?:,(\d*))?\}/y;

/** The length of a pattern with `{m,n}` expanded, as automata have it; nested ones multiply. */
function writtenOut(pattern: string): number {
  const outer: number[] = [];
  let size = 0;
  let atom = 0;
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at];
    if (character === '(') {
      outer.push(size);
      size = 0;
      atom = 0;
    } else if (character === ')') {
      atom = size + 1;
      size = (outer.pop() ?? 0) + atom;
    } else if (character === '{') {
      repetition.lastIndex = at;
      const [whole = '', least, most] = repetition.exec(pattern) ?? [];
      const times = Math.max(Number(least ?? 1), Number(most ?? 0), 1);
      size += atom * (times - 1);
      if (whole !== '') at += whole.length - 1;
    } else {
      if (character === '\\') at++;
      else if (character === '[') at = endOfClass(pattern, at);
      atom = 1;
      size++;
    }
  }
  return size;
}

function endOfClass(pattern: string, start: number): number {
  for (let at = start + 1; at < pattern.length; at++) {
    if (pattern[at] === '\\') at++;
    else if (pattern[at] === ']') return at;
  }
  return pattern.length;
}
