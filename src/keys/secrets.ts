import { createHash, randomBytes } from 'node:crypto';

const hashed = /^sha256:([\da-f]{64})$/i;

/** The prefix of keys from `conch keys create`. */
const keyPrefix = 'sk-conch-';

/** A new random key. */
export function newKey(): string {
  return keyPrefix + randomBytes(32).toString('base64url');
}

/** The hash of a key as text: `sha256:HEX`. */
export function hashOf(key: string): string {
  return `sha256:${digestOf(key).toString('hex')}`;
}

/** The digest of a hash text; undefined for any other text. */
export function digestIn(hash: string): Buffer | undefined {
  const [, hex] = hashed.exec(hash) ?? [];
  return hex === undefined ? undefined : Buffer.from(hex, 'hex');
}

/** SHA-256: keys are long and random, so a slow hash would protect nothing more. */
export function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
