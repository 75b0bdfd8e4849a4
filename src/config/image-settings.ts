import { z } from 'zod';
import { addressRanges, imageHosts } from './image-source.ts';
import { setting } from './setting.ts';
import { byteSize, duration } from './value-types.ts';

const largestFile = 2 ** 30;

/** The settings of images in chat requests. */
export const imageSettings = {
  maxImages: setting(z.number().int().min(0).default(16), 'Most images of one request.', {
    group: 'images',
    live: true,
  }),
  maxImageSize: setting(byteSize({ maximum: largestFile }).prefault('20MiB'), 'Largest file of an image.', {
    group: 'images',
    live: true,
    placeholder: 'BYTES',
  }),
  maxImagePixels: setting(
    z.number().int().min(1).default(33_554_432),
    'Most pixels of an image, by its own header: width times height.',
    { group: 'images', live: true },
  ),
  allowImageUrls: setting(
    imageHosts.prefault([]),
    'Host from which images are fetched where a request names them by an http(s) address; *.HOST is every name below it. ' +
      'Only the ports 80 and 443, or the one that is named: HOST:PORT.',
    { group: 'images', live: true, placeholder: 'HOST[,HOST]', defaultText: 'none' },
  ),
  allowImageAddresses: setting(
    addressRanges.prefault([]),
    'Inner addresses that those hosts may have: without it, only addresses on the open Internet are connected to.',
    { group: 'images', live: true, placeholder: 'CIDR[,CIDR]', defaultText: 'none' },
  ),
  imageTimeout: setting(duration({ minimum: 1 }).prefault('10s'), 'How long fetching one image may take in all.', {
    group: 'images',
    live: true,
    placeholder: 'DURATION',
  }),
};
