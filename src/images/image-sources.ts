import type { LookupAddress } from 'node:dns';
import { type AddressRange, addressCheck } from './addresses.ts';
import { type ImageLimits } from './check-image.ts';
import { ImageFault } from './image-header.ts';

/** A host that pictures may be fetched from; `*.` at its beginning stands for every name below it. */
export interface ImageHost {
  readonly host: string;
  /** Left out: the usual ports, 80 and 443. */
  readonly port?: number;
}

/** Where pictures may be fetched from. */
export interface ImageSources {
  readonly hosts: readonly ImageHost[];
  /** Ranges of inner addresses that may be connected to all the same. */
  readonly addresses: readonly AddressRange[];
}

/** All addresses of a name. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

const usualPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/** Refuses an address that the operator's list of hosts does not name. Nothing is looked up for it. */
export function permittedUrl(written: string, { hosts }: ImageSources): URL {
  const url = URL.canParse(written) ? new URL(written) : undefined;
  const usual = url && usualPorts[url.protocol];
  if (!url || usual === undefined) throw new ImageFault('must be a data URL, or an address with http:// or https://.');
  if (hosts.length === 0)
    throw new ImageFault(
      'is an address, and none are fetched here (--allow-image-urls); send the image as a data URL.',
    );
  if (url.username !== '' || url.password !== '') throw new ImageFault('must not hold a user name or a password.');
  const port = url.port === '' ? usual : Number(url.port);
  if (!hosts.some((entry) => isNamedBy(entry, hostOf(url)) && isPortOf(entry, port)))
    throw new ImageFault('is on a host from which no images are fetched (--allow-image-urls).');
  return url;
}

/** The addresses of a host that is permitted; refused as a whole where one of them is an inner address. */
export async function checkedAddresses(
  url: URL,
  { addresses: ranges }: ImageSources,
  resolve: Resolve,
): Promise<readonly LookupAddress[]> {
  const isAllowed = addressCheck(ranges);
  const found = await resolve(hostOf(url));
  if (found.length === 0 || !found.every(({ address }) => isAllowed(address)))
    throw new ImageFault('is on a host whose address is not on the open Internet (--allow-image-addresses).');
  return found;
}

/** The name or the address in a URL, without brackets and without the dot that may end a name. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

function isNamedBy({ host }: ImageHost, name: string): boolean {
  return host.startsWith('*.') ? name.endsWith(host.slice(1)) && name.length > host.length - 1 : name === host;
}

function isPortOf({ port }: ImageHost, wanted: number): boolean {
  return port === undefined ? Object.values(usualPorts).includes(wanted) : port === wanted;
}

/** What the operator says of images in requests. */
export interface ImageSettings {
  /** The most of one request. */
  readonly most: number;
  readonly limits: ImageLimits;
  readonly sources: ImageSources;
  /** Milliseconds that fetching one may take. */
  readonly timeout: number;
}
