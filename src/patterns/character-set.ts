/** A set of characters as sorted, disjoint and non-adjacent ranges of code points. */
export type CharacterSet = readonly (readonly [from: number, to: number])[];

const lastCodePoint = 0x10ffff;

/** The set of these ranges, sorted and merged. */
export function characterSet(ranges: readonly (readonly [number, number])[]): CharacterSet {
  const joined: [number, number][] = [];
  for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = joined.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  return joined;
}

/** The complement of a set. */
export function complement(set: CharacterSet): CharacterSet {
  const rest: [number, number][] = [];
  let next = 0;
  for (const [from, to] of set) {
    if (from > next) rest.push([next, from - 1]);
    next = to + 1;
  }
  if (next <= lastCodePoint) rest.push([next, lastCodePoint]);
  return rest;
}

/** The difference of two sets. */
export function without(set: CharacterSet, other: CharacterSet): CharacterSet {
  return complement(characterSet([...complement(set), ...other]));
}
