import type { LookupAddress } from 'node:dns';
import { type AddressRange, addressCheck } from './addresses.ts';
import { type ImageLimits } from './check-image.ts';
import { ImageError } from './image-header.ts';

/** A host that images may be fetched from; a leading `*.` matches every subdomain. */
export interface ImageHost {
  readonly host: string;
  /** Default: 80 and 443. */
  readonly port?: number;
}

/** The sources that images may be fetched from. */
export interface ImageSources {
  readonly hosts: readonly ImageHost[];
  /** Private address ranges that are allowed. */
  readonly addresses: readonly AddressRange[];
}

/** All addresses of a name. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

const usualPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/** Rejects a URL whose host the operator does not allow, without a DNS lookup. */
export function permittedUrl(written: string, { hosts }: ImageSources): URL {
  const url = URL.canParse(written) ? new URL(written) : undefined;
  const usual = url && usualPorts[url.protocol];
  if (!url || usual === undefined) throw new ImageError('must be a data URL, or a URL with http:// or https://.');
  if (hosts.length === 0)
    throw new ImageError(
      'image URLs are not enabled on this server (--allow-image-urls). Send the image as a data URL.',
    );
  if (url.username !== '' || url.password !== '') throw new ImageError('must not contain a user name or password.');
  const port = url.port === '' ? usual : Number(url.port);
  if (!hosts.some((entry) => isNamedBy(entry, hostOf(url)) && isPortOf(entry, port)))
    throw new ImageError('is on a host that is not allowed (--allow-image-urls).');
  return url;
}

/** The addresses of an allowed host. Throws if one of them is private or reserved. */
export async function checkedAddresses(
  url: URL,
  { addresses: ranges }: ImageSources,
  resolve: Resolve,
): Promise<readonly LookupAddress[]> {
  const isAllowed = addressCheck(ranges);
  const found = await resolve(hostOf(url));
  if (found.length === 0 || !found.every(({ address }) => isAllowed(address)))
    throw new ImageError('is on a host with a private or reserved address (--allow-image-addresses).');
  return found;
}

/** The host of a URL, without brackets and without a trailing dot. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

function isNamedBy({ host }: ImageHost, name: string): boolean {
  return host.startsWith('*.') ? name.endsWith(host.slice(1)) && name.length > host.length - 1 : name === host;
}

function isPortOf({ port }: ImageHost, expected: number): boolean {
  return port === undefined ? Object.values(usualPorts).includes(expected) : port === expected;
}

/** The settings for images in requests. */
export interface ImageSettings {
  /** The maximum number per request. */
  readonly most: number;
  readonly limits: ImageLimits;
  readonly sources: ImageSources;
  /** Milliseconds that fetching one may take. */
  readonly timeout: number;
}
