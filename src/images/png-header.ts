import type { ImageSize } from './image-size.ts';

const signatureLength = 8;
/** Length, name and checksum around the data of a chunk. */
const frameLength = 12;
const largestSide = 2 ** 31 - 1;
/** The names of chunks, each four letters read as a number: there may be a million of them. */
const names = { header: nameOf('IHDR'), pixels: nameOf('IDAT'), end: nameOf('IEND') };

/** The size in the first chunk of a PNG file whose chunks are whole up to the last. */
export function pngHeader(bytes: Buffer): ImageSize | undefined {
  let size: ImageSize | undefined;
  let hasPixels = false;
  for (let at = signatureLength; at + frameLength <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const name = bytes.readUInt32BE(at + 4);
    const next = at + frameLength + length;
    if (next > bytes.length || (size === undefined) !== (name === names.header)) return undefined;
    if (name === names.end) return hasPixels ? size : undefined;
    if (name === names.header) {
      if (length !== 13) return undefined;
      size = { width: bytes.readUInt32BE(at + 8), height: bytes.readUInt32BE(at + 12) };
      if (size.width > largestSide || size.height > largestSide) return undefined;
    }
    hasPixels ||= name === names.pixels;
    at = next;
  }
  return undefined;
}

function nameOf(letters: string): number {
  return Buffer.from(letters, 'latin1').readUInt32BE();
}
