/** What stands where a secret was. */
const redacted = '[redacted]';

/** Shorter secrets are words like any others: taking them out would leave nothing to read. */
const shortest = 4;

/** What may hold a token of JWT's form. It begins with a whole word alone: beginning anywhere would read a long word over and over. */
const words = /(?<![\w-])[\w-]{11,}(?:\.[\w-]*){2,}/g;

/** Takes secrets out of a line of the log. */
export type Redact = (line: string) => string;

/**
 * Takes out these secrets wherever they stand, as they are, escaped as in JSON or as in an address; and, whoever's they
 * are, what stands after `Bearer`, tokens of JWT's form, and passwords in addresses.
 */
export function redactor(secrets: readonly string[]): Redact {
  const forms = secrets.flatMap((secret) =>
    secret.length < shortest ? [] : [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)],
  );
  // The longest first: one secret may be the beginning of another.
  const known = [...new Set(forms)].toSorted((a, b) => b.length - a.length);
  return (line) => {
    let clean = line;
    for (const secret of known) if (clean.includes(secret)) clean = clean.replaceAll(secret, redacted);
    if (clean.includes('earer '))
      clean = clean.replaceAll(
        /\b([Bb]earer) +(?!\[redacted\]|KEY\b|\$[A-Z_]+(?:["\s\\]|$))[^\s"\\,;]+/g,
        `$1 ${redacted}`,
      );
    if (clean.includes('eyJ')) clean = clean.replaceAll(words, withoutToken);
    if (clean.includes('@')) clean = clean.replaceAll(/(\w:\/\/[^\s/:@"]*):[^\s/@"]+@/g, `$1:${redacted}@`);
    return clean;
  };
}

function withoutToken(word: string): string {
  const at = word.indexOf('eyJ');
  return at < 0 ? word : `${word.slice(0, at)}${redacted}`;
}
