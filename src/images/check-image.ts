import { ImageFault, type ImageType, imageHeader } from './image-header.ts';

/** How large one picture may be. */
export interface ImageLimits {
  /** Bytes of its file. */
  readonly bytes: number;
  readonly pixels: number;
}

/** A picture as it goes to a model: its file, unchanged. */
export interface Image {
  readonly type: ImageType;
  readonly bytes: Buffer;
}

/** Looks at the bytes of a file; one that is no picture, or too large a one, is refused. */
export function checkImage(bytes: Buffer, limits: ImageLimits): Image {
  if (bytes.length > limits.bytes) throw tooManyBytes(limits);
  const { type, width, height } = imageHeader(bytes);
  if (width * height > limits.pixels)
    throw new ImageFault(
      `has ${width} x ${height} pixels; at most ${limits.pixels} pixels are allowed (--max-image-pixels).`,
    );
  return { type, bytes };
}

export function tooManyBytes({ bytes }: ImageLimits): ImageFault {
  return new ImageFault(`is larger than the ${bytes} bytes that are allowed (--max-image-size).`);
}
