import { ApiError } from '../../errors.ts';
import { identify, type KeyHeaders } from '../../http/auth.ts';
import { type KeyLimits, type KeyPass, passKey } from '../../http/key-limits.ts';
import type { KeyBook } from '../../keys/key-book.ts';
import type { KeyHolder } from '../../keys/key-holder.ts';
import { StatusError } from '../../kserve/status.ts';
import type { Signal } from '../../signal.ts';

/** Who sends a request with these headers; undefined where no key is needed. Throws a StatusError. */
export async function kserveHolder(headers: KeyHeaders, keys: KeyBook): Promise<KeyHolder | undefined> {
  try {
    return await identify(headers, keys);
  } catch (error) {
    throw new StatusError('UNAUTHENTICATED', error instanceof Error ? error.message : String(error));
  }
}

/** Tokens are not counted here, so a key that has a limit of them is refused rather than let through without one. */
export function refuseUncounted(holder: KeyHolder): void {
  if (holder.tokensPerMinute !== undefined)
    throw new StatusError(
      'PERMISSION_DENIED',
      'This key has a limit of tokens per minute, and they are not counted here. Use the OpenAI API.',
    );
}

/** Lets an inference in that keeps to the limits of its key, and throws a StatusError for one that does not. */
export async function passInference(holder: KeyHolder, limits: KeyLimits, signal: Signal): Promise<KeyPass> {
  refuseUncounted(holder);
  try {
    return await passKey(holder, limits, signal);
  } catch (error) {
    throw error instanceof ApiError && error.status === 429
      ? new StatusError('RESOURCE_EXHAUSTED', error.message)
      : error;
  }
}
