import { gifHeader } from './gif-header.ts';
import { ImageFault } from './image-fault.ts';
import type { ImageSize } from './image-size.ts';
import { jpegHeader } from './jpeg-header.ts';
import { pngHeader } from './png-header.ts';
import { webpHeader } from './webp-header.ts';

export type ImageType = 'image/png' | 'image/jpeg' | 'image/webp' | 'image/gif';

export interface ImageHeader extends ImageSize {
  readonly type: ImageType;
}

/** By its first bytes: the kind of a picture, its name for people, and who reads its size. */
const kinds: readonly {
  readonly type: ImageType;
  readonly name: string;
  readonly fits: (bytes: Buffer) => boolean;
  /** Undefined where the file is cut short or contradicts itself. */
  readonly read: (bytes: Buffer) => ImageSize | undefined;
}[] = [
  {
    type: 'image/png',
    name: 'PNG',
    fits: (bytes) => startsWith(bytes, '\x89PNG\r\n\x1a\n'),
    read: pngHeader,
  },
  { type: 'image/jpeg', name: 'JPEG', fits: (bytes) => startsWith(bytes, '\xff\xd8\xff'), read: jpegHeader },
  {
    type: 'image/webp',
    name: 'WebP',
    fits: (bytes) => startsWith(bytes, 'RIFF') && startsWith(bytes.subarray(8), 'WEBP'),
    read: webpHeader,
  },
  {
    type: 'image/gif',
    name: 'GIF',
    fits: (bytes) => startsWith(bytes, 'GIF87a') || startsWith(bytes, 'GIF89a'),
    read: gifHeader,
  },
];

/**
 * What the bytes of a file say of the picture in it. No pixel is decoded: the file is walked once, from part to part,
 * so that one that ends too early is known too.
 */
export function imageHeader(bytes: Buffer): ImageHeader {
  const kind = kinds.find(({ fits }) => fits(bytes));
  if (!kind) throw new ImageFault('is not a PNG, JPEG, WebP or GIF file.');
  const size = kind.read(bytes);
  if (!size || size.width < 1 || size.height < 1)
    throw new ImageFault(`is a ${kind.name} file that is cut short or damaged.`);
  return { type: kind.type, width: size.width, height: size.height };
}

function startsWith(bytes: Buffer, mark: string): boolean {
  return bytes.toString('latin1', 0, mark.length) === mark;
}
