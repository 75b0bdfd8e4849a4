import { lookup } from 'node:dns/promises';
import { get as getPlain, type IncomingMessage, type RequestOptions } from 'node:http';
import { get as getWithTls } from 'node:https';
import type { LookupFunction } from 'node:net';
import { anySignal, type Signal } from '../signal.ts';
import { type ImageLimits, tooManyBytes } from './check-image.ts';
import { ImageError } from './image-header.ts';
import { checkedAddresses, type ImageSources, permittedUrl, type Resolve } from './image-sources.ts';

export interface FetchOptions {
  readonly sources: ImageSources;
  readonly limits: ImageLimits;
  /** Milliseconds for everything: DNS, connections, redirects and the file. */
  readonly timeout: number;
  readonly signal: Signal;
  /** Default: the resolver of the system. */
  readonly resolve?: Resolve;
}

const mostRedirects = 3;
const redirects: ReadonlySet<number | undefined> = new Set([301, 302, 303, 307, 308]);

/** Fetches an image from an allowed URL. Redirects are checked too. Errors reveal nothing of private servers. */
export async function fetchImage(first: string, options: FetchOptions): Promise<Buffer> {
  const { sources, timeout, signal, resolve = systemResolve } = options;
  const deadline = AbortSignal.timeout(timeout);
  const ended = anySignal(signal, deadline);
  try {
    let url = permittedUrl(first, sources);
    for (let hops = 0; hops <= mostRedirects; hops++) {
      const addresses = await untilEnded(checkedAddresses(url, sources, resolve), ended);
      const response = await responseOf(url, { signal: ended, lookup: lookupOf(addresses) });
      const { location } = response.headers;
      if (!redirects.has(response.statusCode) || location === undefined) return await fileOf(response, options.limits);
      response.destroy();
      url = permittedUrl(URL.canParse(location, url.href) ? new URL(location, url).href : location, sources);
    }
    throw new ImageError(`redirects more than ${mostRedirects} times.`);
  } catch (error) {
    if (deadline.aborted && !signal.aborted)
      throw new ImageError(`was not fetched within ${timeout} ms (--image-timeout).`, error);
    throw error instanceof ImageError ? error : new ImageError('could not be fetched.', error);
  }
}

const systemResolve: Resolve = (host) => lookup(host, { all: true });

/** A resolver cannot be cancelled; its result is then ignored. */
function untilEnded<Value>(promise: Promise<Value>, signal: Signal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** Connects only to the checked addresses, so that a second lookup cannot return others. */
function lookupOf(addresses: Awaited<ReturnType<Resolve>>): LookupFunction {
  return (_, { all }, done) => {
    const [first] = addresses;
    if (all || !first) done(null, [...addresses]);
    else done(null, first.address, first.family);
  };
}

function responseOf(url: URL, how: Pick<RequestOptions, 'signal' | 'lookup'>): Promise<IncomingMessage> {
  const get = url.protocol === 'https:' ? getWithTls : getPlain;
  return new Promise((resolve, reject) => {
    const headers = { accept: 'image/*', 'accept-encoding': 'identity', 'user-agent': 'conch' };
    get(url, { ...how, headers, agent: false }, resolve).on('error', reject);
  });
}

async function fileOf(response: IncomingMessage, limits: ImageLimits): Promise<Buffer> {
  try {
    const { statusCode, headers } = response;
    if (statusCode !== 200) throw new Error(`The server returned HTTP ${statusCode}.`);
    if ((headers['content-encoding'] ?? 'identity') !== 'identity') throw new Error('The response is compressed.');
    if (Number(headers['content-length'] ?? 0) > limits.bytes) throw tooManyBytes(limits);
    const pieces: Buffer[] = [];
    let size = 0;
    for await (const piece of response as AsyncIterable<Buffer>) {
      size += piece.length;
      if (size > limits.bytes) throw tooManyBytes(limits);
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  } finally {
    response.destroy();
  }
}
