import { join } from 'node:path';
import { messageOf } from '../thrown.ts';
import { AssetError } from './asset-error.ts';

/** How the Hugging Face hub is reached. */
export interface HubSettings {
  /** `HF_ENDPOINT`. */
  readonly endpoint: string;
  /** `HF_TOKEN`: sent only to the endpoint, never to where it redirects. */
  readonly token?: string | undefined;
  /** The hub's cache: `HF_HUB_CACHE`, `$HF_HOME/hub`, or a folder of ours. */
  readonly cacheFolder: string;
  /** `HF_HUB_OFFLINE`: only the cache is used. */
  readonly offline?: boolean;
}

/** The settings with huggingface_hub's environment variables: `HF_HUB_CACHE`, `HF_HOME` and `HF_HUB_OFFLINE`. */
export function hubSettings(
  options: { endpoint: string; token?: string | undefined; cacheFolder: string },
  environment: Readonly<Record<string, string | undefined>>,
): HubSettings {
  const { HF_HUB_CACHE: cache, HF_HOME: home, HF_HUB_OFFLINE: offline } = environment;
  return {
    endpoint: options.endpoint,
    token: options.token,
    cacheFolder: cache || (home ? join(home, 'hub') : join(options.cacheFolder, 'hub')),
    offline: /^(1|on|yes|true)$/i.test(offline ?? ''),
  };
}

/** Every folder in which huggingface_hub may have its cache: that of its environment variables or its default; then ours. */
export function hubCaches(own: string, environment: Readonly<Record<string, string | undefined>>): string[] {
  const { HF_HUB_CACHE: cache, HF_HOME: home, XDG_CACHE_HOME: caches, HOME: user } = environment;
  const common = caches || (user ? join(user, '.cache') : undefined);
  const theirs = cache || (home ? join(home, 'hub') : common && join(common, 'huggingface', 'hub'));
  return [...(theirs ? [theirs] : []), join(own, 'hub')];
}

/** A failed request for which a retry may succeed, or the cache may be used instead. */
export class HubUnreachableError extends Error {}

const mostRedirects = 5;
const responseTimeout = 15_000;

/** GETs an address of the hub, following redirects. Throws an error for people where the response is no success. */
export async function hubRequest(
  url: URL,
  settings: HubSettings,
  { what, signal }: { what: string; signal?: AbortSignal | undefined },
): Promise<Response> {
  const host = new URL(settings.endpoint).host;
  let target = url;
  let etag: string | null = null;
  for (let hop = 0; hop <= mostRedirects; hop++) {
    const response = await reach(target, { authorized: target.host === host ? settings.token : undefined, signal });
    etag ??= response.headers.get('x-linked-etag');
    const location = response.headers.get('location');
    if (response.status >= 300 && response.status < 400 && location !== null) {
      await response.body?.cancel();
      target = new URL(location, target);
      continue;
    }
    if (response.ok) {
      const headers = new Headers(response.headers);
      if (etag !== null) headers.set('x-linked-etag', etag);
      return new Response(response.body, { status: response.status, headers });
    }
    await response.body?.cancel();
    throw failure(response, { what, host: target.host, token: settings.token });
  }
  throw new AssetError(`${host} redirects more than ${mostRedirects} times for ${what}.`);
}

async function reach(
  url: URL,
  { authorized, signal }: { authorized: string | undefined; signal: AbortSignal | undefined },
): Promise<Response> {
  // The limit is for the response headers, not for the body.
  const slow = new AbortController();
  const timer = setTimeout(() => slow.abort(), responseTimeout);
  try {
    return await fetch(url, {
      redirect: 'manual',
      // The length of a compressed response could not be checked against content-length.
      headers: { 'accept-encoding': 'identity', ...(authorized ? { authorization: `Bearer ${authorized}` } : {}) },
      signal: signal ? AbortSignal.any([signal, slow.signal]) : slow.signal,
    });
  } catch (error) {
    signal?.throwIfAborted();
    throw new HubUnreachableError(`${url.host} is unreachable (${reasonOf(error, slow.signal.aborted)})`, {
      cause: error,
    });
  } finally {
    clearTimeout(timer);
  }
}

function reasonOf(error: unknown, timedOut: boolean): string {
  if (timedOut) return `no response within ${responseTimeout / 1000} seconds`;
  const cause = (error as { cause?: { code?: string; message?: string } }).cause;
  return cause?.code ?? cause?.message ?? messageOf(error);
}

function failure(
  response: Response,
  { what, host, token }: { what: string; host: string; token: string | undefined },
): Error {
  if (response.status === 404) return new AssetError(`${host} has no ${what}. Check the name.`);
  if (response.status === 401 || response.status === 403) {
    return new AssetError(
      token
        ? `${host} denies access to ${what} with this HF_TOKEN. Accept the model's terms there, or use another token.`
        : `${host} requires a token for ${what}: it is gated, private or misspelt. Set HF_TOKEN.`,
    );
  }
  return new HubUnreachableError(`${host} returned ${response.status} for ${what}`);
}
