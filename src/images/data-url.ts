import { type ImageLimits, tooManyBytes } from './check-image.ts';
import { ImageFault } from './image-header.ts';

const scheme = 'data:';
/** Beyond this much of it, what stands before the comma is no media type. */
const longestHead = 256;

export function isDataUrl(url: string): boolean {
  return url.slice(0, scheme.length).toLowerCase() === scheme;
}

/** The bytes in a data URL. Its media type must be that of some picture; of which one, the bytes say themselves. */
export function dataUrlBytes(url: string, limits: ImageLimits): Buffer {
  const comma = url.slice(0, longestHead).indexOf(',');
  const [mediaType = '', ...parameters] = url.slice(scheme.length, Math.max(comma, 0)).toLowerCase().split(';');
  if (comma < 0 || parameters.at(-1)?.trim() !== 'base64')
    throw new ImageFault('must be a data URL in base64: data:image/png;base64,...');
  if (!/^ *image\/[\w.+-]+ *$/.test(mediaType))
    throw new ImageFault(`must have the media type of an image, not ${JSON.stringify(mediaType)}.`);
  const text = url.slice(comma + 1);
  if (text.length > 4 * Math.ceil(limits.bytes / 3)) throw tooManyBytes(limits);
  const bytes = Buffer.from(text, 'base64');
  // Node skips what is not base64; only a text that was read in full comes back the same.
  if (text === '' || bytes.toString('base64') !== text)
    throw new ImageFault('is not base64: the standard alphabet with its padding, without spaces.');
  return bytes;
}
