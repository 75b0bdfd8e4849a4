/** The candidate that `word` most likely means, or undefined when none is near. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const typed = simplify(word);
  const length = typed.replace(/^(--|conch-)/, '').length;
  const allowed = length <= 4 ? 1 : length <= 7 ? 2 : 3;
  let best: string | undefined;
  let bestDistance = allowed + 1;
  let startsWith: string | undefined;
  for (const candidate of candidates) {
    const simple = simplify(candidate);
    const steps = distance(typed, simple);
    if (steps < bestDistance) {
      best = candidate;
      bestDistance = steps;
    }
    if (length >= 3 && simple.startsWith(typed)) startsWith ??= candidate;
  }
  return best ?? startsWith;
}

/** The end of an error line that names the nearest candidate, or nothing when none is near. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const candidate = nearest(word, candidates);
  return candidate === undefined ? '' : ` Did you mean ${candidate}?`;
}

// The case of a word and the choice between - and _ are no mistakes worth a step.
function simplify(word: string): string {
  return word.toLowerCase().replaceAll('_', '-');
}

/** Damerau-Levenshtein distance: insertions, deletions, replacements and swaps of neighbours, one step each. */
function distance(left: string, right: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const cost = left[row - 1] === right[column - 1] ? 0 : 1;
      let steps = Math.min(at(last, column) + 1, at(current, column - 1) + 1, at(last, column - 1) + cost);
      const swapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (row > 1 && column > 1 && swapped) steps = Math.min(steps, at(beforeLast, column - 2) + 1);
      current.push(steps);
    }
    beforeLast = last;
    last = current;
  }
  return at(last, right.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
