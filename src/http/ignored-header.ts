/** Maximum of ignored fields that the header and the log name: clients limit the size of headers. */
export const mostNamed = 32;

const longestName = 64;

/** The names of ignored fields, encoded for a header. */
export function ignoredHeader(names: readonly string[]): string {
  const encodedNames = names.slice(0, mostNamed).map((name) => encoded(wellFormed(name.slice(0, longestName))));
  return [...encodedNames, ...(names.length > mostNamed ? ['...'] : [])].join(', ');
}

/** Percent codes for all that could be read as part of the header. The brackets of positions stay readable. */
function encoded(name: string): string {
  return encodeURIComponent(name).replaceAll('%5B', '[').replaceAll('%5D', ']');
}

/** A lone surrogate, which JSON allows, becomes U+FFFD. */
function wellFormed(name: string): string {
  return Buffer.from(name).toString();
}
