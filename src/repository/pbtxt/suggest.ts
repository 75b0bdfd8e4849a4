/** A sentence that suggests the most similar word, with a space before it; empty if none is similar. */
export function suggest(word: string, candidates: Iterable<string>): string {
  const allowed = Math.min(3, Math.ceil(word.length / 3));
  let best: { candidate: string; steps: number } | undefined;
  for (const candidate of candidates) {
    const steps = stepsBetween(word.toLowerCase(), candidate.toLowerCase());
    if (steps <= allowed && steps < (best?.steps ?? Number.POSITIVE_INFINITY)) best = { candidate, steps };
  }
  return best === undefined ? '' : ` Did you mean ${best.candidate}?`;
}

/** The Levenshtein distance of two words. */
function stepsBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let index = 0; index < from.length; index++) {
    const next = [index + 1];
    for (let column = 1; column <= to.length; column++) {
      const exchanged = (row[column - 1] ?? 0) + (from[index] === to[column - 1] ? 0 : 1);
      next.push(Math.min((row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1, exchanged));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
