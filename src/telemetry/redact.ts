/** The replacement of a secret. */
const redacted = '[redacted]';

/** Shorter secrets are ordinary words: redacting them would make the log unreadable. */
const shortest = 4;

/** A possible JWT. It matches only at the start of a word: other positions would make long words quadratic. */
const words = /(?<![\w-])[\w-]{11,}(?:\.[\w-]*){2,}/g;

/** Redacts secrets in a log line. */
export type Redact = (line: string) => string;

/**
 * Redacts these secrets anywhere in the line: plain, JSON-escaped or URL-encoded. Also redacts text after `Bearer`, JWTs
 * and passwords in URLs, no matter whose they are.
 */
export function redactor(secrets: readonly string[]): Redact {
  const spellings = secrets.flatMap((secret) =>
    secret.length < shortest ? [] : [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)],
  );
  // Longest first: one secret may be the start of another.
  const known = [...new Set(spellings)].toSorted((a, b) => b.length - a.length);
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
