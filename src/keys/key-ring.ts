import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { KeyHolder } from './key-holder.ts';
import { digestOf } from './secrets.ts';

/** A stored key: only its digest, not the key itself. */
export interface StoredKey {
  readonly digest: Buffer;
  /** The holder without its owner, which is derived from the presented key. */
  readonly holder: Omit<KeyHolder, 'owner'>;
}

/** All keys, looked up by what a client presents. */
export class KeyRing {
  readonly #keys: ReadonlyMap<string, StoredKey>;
  /** The digest to compare with when the key is unknown. */
  readonly #unknownDigest = randomBytes(32);

  /** Of two keys with the same digest, the later one applies. */
  constructor(keys: Iterable<StoredKey>) {
    this.#keys = new Map([...keys].map((key) => [key.digest.toString('hex'), key]));
  }

  get size(): number {
    return this.#keys.size;
  }

  /**
   * The holder of a key, expired or not. The work is the same for known and unknown keys. The time to look up a digest
   * reveals nothing: to choose a digest, the client would have to know the key.
   */
  find(secret: string): KeyHolder | undefined {
    const digest = digestOf(secret);
    const owner = digestOf(`owner of ${secret}`).toString('hex');
    const key = this.#keys.get(digest.toString('hex'));
    const isKey = timingSafeEqual(digest, key?.digest ?? this.#unknownDigest);
    return key && isKey ? { ...key.holder, owner } : undefined;
  }
}
