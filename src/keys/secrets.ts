import { createHash, randomBytes } from 'node:crypto';

const hashed = /^sha256:([\da-f]{64})$/i;

/** What stands in front of a key that `conch keys create` makes. */
const keyPrefix = 'sk-conch-';

/** A key that nobody can guess. */
export function newKey(): string {
  return keyPrefix + randomBytes(32).toString('base64url');
}

/** The hashed form of a key: `sha256:HEX`. */
export function hashedForm(key: string): string {
  return `sha256:${digestOf(key).toString('hex')}`;
}

/** The digest that a hashed form holds; undefined where a text is none. */
export function digestIn(form: string): Buffer | undefined {
  const [, hex] = hashed.exec(form) ?? [];
  return hex === undefined ? undefined : Buffer.from(hex, 'hex');
}

/** SHA-256: keys are long and random, so a slow hash would protect nothing more. */
export function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
