import { isIP } from 'node:net';
import { z } from 'zod';
import { inGroup, setting } from './setting.ts';
import { byteSize, duration } from './value-types.ts';

const hostMessage = 'must be HOST, HOST:PORT or *.HOST (all names below it), without a scheme or a path';
const rangeMessage = 'must be an IP address, or a range such as 10.0.0.0/8';

const imageHost = z.string({ error: hostMessage }).transform((written, context) =>
  partsOf(written).map((part): { readonly host: string; readonly port?: number } => {
    const [, wildcard = '', name = '', port] = /^(\*\.)?([\w.-]+|\[[\da-f:.]+\])(?::(\d{1,5}))?$/i.exec(part) ?? [];
    // The parser of URLs writes every host in one way, as it will write those of requests.
    const url = `http://${name}:${port ?? 80}/`;
    if (!URL.canParse(url)) {
      context.addIssue(hostMessage);
      return { host: part };
    }
    const host = wildcard + new URL(url).hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
    return port === undefined ? { host } : { host, port: Number(port) };
  }),
);

const addressRange = z.string({ error: rangeMessage }).transform((written, context) =>
  partsOf(written).map((part): { readonly address: string; readonly prefix: number } => {
    const [address = '', length] = part.split(/\/(.*)/s);
    const most = isIP(address) === 4 ? 32 : 128;
    const prefix = length === undefined ? most : /^\d{1,3}$/.test(length) ? Number(length) : most + 1;
    if (isIP(address) === 0 || address.includes('%') || prefix > most) context.addIssue(rangeMessage);
    return { address, prefix };
  }),
);

/** Hosts that images may be fetched from; a text may contain several, separated by commas. */
export const imageHosts = z.array(imageHost).transform((items) => items.flat());

/** Ranges of addresses, written in the same way. */
export const addressRanges = z.array(addressRange).transform((items) => items.flat());

function partsOf(written: string): string[] {
  return written.split(',').map((part) => part.trim());
}

const largestFile = 2 ** 30;

/** The settings of images in chat requests. */
export const imageSettings = inGroup('images', {
  maxImages: setting(z.number().int().min(0).default(16), 'Limit the number of images in a request.', { live: true }),
  maxImageSize: setting(byteSize({ maximum: largestFile }).prefault('20MiB'), 'Limit the file size of an image.', {
    live: true,
  }),
  maxImagePixels: setting(
    z.number().int().min(1).default(33_554_432),
    'Limit the pixels of an image: width times height, as in its own header.',
    { live: true },
  ),
  allowImageUrls: setting(
    imageHosts.prefault([]),
    'Fetch images from this host when a request names them by an http(s) URL. *.HOST allows every name below it. ' +
      'Only ports 80 and 443 are allowed, or the port of HOST:PORT.',
    { live: true, placeholder: 'HOST[,HOST]', defaultText: 'none' },
  ),
  allowImageAddresses: setting(
    addressRanges.prefault([]),
    'Allow the hosts of --allow-image-urls to have these internal addresses. Without it, Conch connects only to addresses on the public Internet.',
    { live: true, placeholder: 'CIDR[,CIDR]', defaultText: 'none' },
  ),
  imageTimeout: setting(duration({ minimum: 1 }).prefault('10s'), 'Limit the total time to fetch one image.', {
    live: true,
  }),
});
