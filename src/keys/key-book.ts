import { ApiError } from '../errors.ts';
import { invalidKey } from './invalid-key.ts';
import type { JwtCheck } from './jwt.ts';
import type { KeyHolder } from './key-holder.ts';
import { KeyRing } from './key-ring.ts';

/** What opens Conch at the moment. It may change while Conch runs, so it is read anew for each request. */
export interface KeyBook {
  /** Whether requests need a key at all. */
  readonly isLocked: boolean;
  readonly ring: KeyRing;
  /** Undefined: no tokens are taken. */
  readonly jwt: JwtCheck | undefined;
}

/** For a Conch that is open to all. */
export const openBook: KeyBook = { isLocked: false, ring: new KeyRing([]), jwt: undefined };

/** Who holds one of these keys, of which a client may present several. Throws an ApiError where nobody does. */
export async function holderOf(presented: readonly string[], { ring, jwt }: KeyBook): Promise<KeyHolder> {
  let fault: ApiError | undefined;
  for (const secret of presented) {
    const known = ring.find(secret);
    if (known && !isExpired(known)) return known;
    if (known) fault ??= invalidKey(`The API key ${JSON.stringify(known.name)} has expired.`);
    else if (jwt && looksLikeJwt(secret)) {
      try {
        return await jwt(secret);
      } catch (error) {
        fault ??= ApiError.from(error);
      }
    }
  }
  throw fault ?? invalidKey('The API key is not valid.');
}

function isExpired({ expires }: KeyHolder): boolean {
  return expires !== undefined && expires <= Date.now();
}

/** Whether a text has the shape of a token. */
export function looksLikeJwt(text: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]*$/.test(text);
}
