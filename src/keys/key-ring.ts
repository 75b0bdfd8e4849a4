import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { KeyHolder } from './key-holder.ts';
import { digestOf } from './secrets.ts';

/** A key as it is kept: nothing but its digest. */
export interface KeptKey {
  readonly digest: Buffer;
  /** Whoever brings it; who owns what it makes is known once it is brought. */
  readonly holder: Omit<KeyHolder, 'owner'>;
}

/** All keys, found by what a client presents. */
export class KeyRing {
  readonly #keys: ReadonlyMap<string, KeptKey>;
  /** Compared with where there is no such key; it is the digest of nothing. */
  readonly #nobody = randomBytes(32);

  /** Of two with the same digest the later one holds. */
  constructor(keys: Iterable<KeptKey>) {
    this.#keys = new Map([...keys].map((key) => [key.digest.toString('hex'), key]));
  }

  get size(): number {
    return this.#keys.size;
  }

  /**
   * The holder of a key, expired or not. The work is the same whichever key fits and when none does: a digest is looked
   * up, and how long that takes says nothing about the key, which the client would have to know to choose its digest.
   */
  find(secret: string): KeyHolder | undefined {
    const digest = digestOf(secret);
    const owner = digestOf(`owner of ${secret}`).toString('hex');
    const key = this.#keys.get(digest.toString('hex'));
    const isKey = timingSafeEqual(digest, key?.digest ?? this.#nobody);
    return key && isKey ? { ...key.holder, owner } : undefined;
  }
}
