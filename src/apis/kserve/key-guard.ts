import { ApiError } from '../../errors.ts';
import { identify, type KeyHeaders } from '../../http/auth.ts';
import { type KeyLimits, type KeyPass, passKey } from '../../http/key-limits.ts';
import type { KeyHolder } from '../../keys/key-holder.ts';
import type { KeyRegistry } from '../../keys/key-registry.ts';
import { StatusError } from '../../kserve/status.ts';
import type { Signal } from '../../signal.ts';

/** The holder of the key in these headers; undefined if no key is needed. Throws a StatusError. */
export async function kserveHolder(headers: KeyHeaders, keys: KeyRegistry): Promise<KeyHolder | undefined> {
  try {
    return await identify(headers, keys);
  } catch (error) {
    throw new StatusError('UNAUTHENTICATED', error instanceof Error ? error.message : String(error));
  }
}

/** Rejects keys with a token limit, because tokens are not counted here. */
export function refuseUncounted(holder: KeyHolder): void {
  if (holder.tokensPerMinute !== undefined)
    throw new StatusError(
      'PERMISSION_DENIED',
      'This API key has a limit of tokens per minute, and the KServe API does not count tokens. Use the OpenAI API.',
    );
}

/** Admits an inference within the limits of its key; throws a StatusError above them. */
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
