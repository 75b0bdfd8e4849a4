/** The most fields without effect that an answer and the log name: clients have a limit for headers. */
export const mostNamed = 32;

const longestName = 64;

/** The names of fields without effect as a header may carry them. */
export function ignoredHeader(names: readonly string[]): string {
  const shown = names.slice(0, mostNamed).map((name) => encodeURIComponent(wellFormed(name.slice(0, longestName))));
  return [...shown, ...(names.length > mostNamed ? ['...'] : [])].join(', ');
}

/** Half a character, which JSON can carry, becomes U+FFFD. */
function wellFormed(name: string): string {
  return Buffer.from(name).toString();
}
