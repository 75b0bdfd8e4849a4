/** The JSON schema types of a value; 1.0 is an integer too. */
export function typesOf(value: unknown): readonly string[] {
  if (value === null) return ['null'];
  if (Array.isArray(value)) return ['array'];
  if (typeof value === 'number') return Number.isInteger(value) ? ['integer', 'number'] : ['number'];
  return [typeof value];
}

/** The intersection of two type lists; an integer is a number too. */
export function commonTypes(one: readonly string[], other: readonly string[]): string[] {
  const both = one.filter((type) => other.includes(type) || (type === 'integer' && other.includes('number')));
  if (one.includes('number') && other.includes('integer') && !both.includes('integer')) both.push('integer');
  return both.includes('number') ? both.filter((type) => type !== 'integer') : both;
}

/** Canonical JSON: the same for equal values, whatever the order of their keys. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value === 0 ? 0 : value) ?? '';
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${canonical(each)}`).join(',')}}`;
}

/** The number of code points of a text. */
export function lengthOf(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length; at++) if ((text.codePointAt(at) ?? 0) > 0xffff) length--;
  return length;
}
