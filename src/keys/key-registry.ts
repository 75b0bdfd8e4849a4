import { ApiError } from '../errors.ts';
import { invalidKey } from './invalid-key.ts';
import type { JwtCheck } from './jwt.ts';
import type { KeyHolder } from './key-holder.ts';
import { KeyRing } from './key-ring.ts';

/** The accepted keys and tokens. They may change while Conch runs, so each request reads them anew. */
export interface KeyRegistry {
  /** Whether requests need a key at all. */
  readonly isLocked: boolean;
  readonly ring: KeyRing;
  /** Undefined: Conch accepts no tokens. */
  readonly jwt: JwtCheck | undefined;
}

/** For a server that needs no keys. */
export const openRegistry: KeyRegistry = { isLocked: false, ring: new KeyRing([]), jwt: undefined };

/** The holder of one of the keys that a client presents. Throws an ApiError if none is valid. */
export async function holderOf(presented: readonly string[], { ring, jwt }: KeyRegistry): Promise<KeyHolder> {
  let firstError: ApiError | undefined;
  for (const secret of presented) {
    const known = ring.find(secret);
    if (known && !isExpired(known)) return known;
    if (known) firstError ??= invalidKey(`The API key ${JSON.stringify(known.name)} has expired.`);
    else if (jwt && looksLikeJwt(secret)) {
      try {
        return await jwt(secret);
      } catch (error) {
        firstError ??= ApiError.from(error);
      }
    }
  }
  throw firstError ?? invalidKey('Incorrect API key provided. Check the key and try again.');
}

function isExpired({ expires }: KeyHolder): boolean {
  return expires !== undefined && expires <= Date.now();
}

/** Whether a text has the shape of a token. */
export function looksLikeJwt(text: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]*$/.test(text);
}
