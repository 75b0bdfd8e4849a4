import { type ImageLimits, tooManyBytes } from './check-image.ts';
import { ImageError } from './image-header.ts';

const scheme = 'data:';
/** The maximum length of the part before the comma. */
const longestHead = 256;

export function isDataUrl(url: string): boolean {
  return url.slice(0, scheme.length).toLowerCase() === scheme;
}

/** The bytes of a data URL. Its media type must be an image type; the bytes determine which one. */
export function dataUrlBytes(url: string, limits: ImageLimits): Buffer {
  const comma = url.slice(0, longestHead).indexOf(',');
  const [mediaType = '', ...parameters] = url.slice(scheme.length, Math.max(comma, 0)).toLowerCase().split(';');
  if (comma < 0 || parameters.at(-1)?.trim() !== 'base64')
    throw new ImageError('must be a base64 data URL: data:image/png;base64,...');
  if (!/^ *image\/[\w.+-]+ *$/.test(mediaType))
    throw new ImageError(`must have an image media type, not ${JSON.stringify(mediaType)}.`);
  const text = url.slice(comma + 1);
  if (text.length > 4 * Math.ceil(limits.bytes / 3)) throw tooManyBytes(limits);
  const bytes = Buffer.from(text, 'base64');
  // Node skips invalid characters, so the text is valid only if encoding gives it back.
  if (text === '' || bytes.toString('base64') !== text)
    throw new ImageError('is not valid base64. Use the standard alphabet with padding, without spaces.');
  return bytes;
}
