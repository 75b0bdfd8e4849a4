import { ImageError, type ImageType, imageHeader } from './image-header.ts';

/** The limits of one image. */
export interface ImageLimits {
  /** Bytes of its file. */
  readonly bytes: number;
  readonly pixels: number;
}

/** An image as it is sent to a model: its file, unchanged. */
export interface Image {
  readonly type: ImageType;
  readonly bytes: Buffer;
}

/** Checks the bytes of a file. Throws if it is no image or too large. */
export function checkImage(bytes: Buffer, limits: ImageLimits): Image {
  if (bytes.length > limits.bytes) throw tooManyBytes(limits);
  const { type, width, height } = imageHeader(bytes);
  if (width * height > limits.pixels)
    throw new ImageError(
      `has ${width} x ${height} pixels; at most ${limits.pixels} pixels are allowed (--max-image-pixels).`,
    );
  return { type, bytes };
}

export function tooManyBytes({ bytes }: ImageLimits): ImageError {
  return new ImageError(`is larger than the ${bytes} bytes allowed (--max-image-size).`);
}
