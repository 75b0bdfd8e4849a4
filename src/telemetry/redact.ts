/** What stands where a secret was. */
const redacted = '[redacted]';

/** Shorter secrets are words like any others: taking them out would leave nothing to read. */
const shortest = 4;

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
      clean = clean.replaceAll(/\b([Bb]earer) +(?!\[redacted\]|KEY\b)[^\s"\\,;]+/g, `$1 ${redacted}`);
    if (clean.includes('eyJ')) clean = clean.replaceAll(/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, redacted);
    if (clean.includes('@')) clean = clean.replaceAll(/(\w:\/\/[^\s/:@"]*):[^\s/@"]+@/g, `$1:${redacted}@`);
    return clean;
  };
}
