import { createHash } from 'node:crypto';

/** Changes with the model, its version, its settings or the version of Conch. */
export function fingerprintOf(...parts: readonly string[]): string {
  return `fp_${createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 10)}`;
}
