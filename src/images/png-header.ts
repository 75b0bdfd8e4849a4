import type { ImageSize } from './image-size.ts';

const signatureLength = 8;
/** Length, name and checksum around the data of a chunk. */
const frameLength = 12;
const largestSide = 2 ** 31 - 1;

/** The size in the first chunk of a PNG file whose chunks are whole up to the last. */
export function pngHeader(bytes: Buffer): ImageSize | undefined {
  let size: ImageSize | undefined;
  let hasPixels = false;
  for (let at = signatureLength; at + frameLength <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const name = bytes.toString('latin1', at + 4, at + 8);
    const next = at + frameLength + length;
    if (next > bytes.length || (size === undefined) !== (name === 'IHDR')) return undefined;
    if (name === 'IEND') return hasPixels ? size : undefined;
    if (name === 'IHDR') {
      if (length !== 13) return undefined;
      size = { width: bytes.readUInt32BE(at + 8), height: bytes.readUInt32BE(at + 12) };
      if (size.width > largestSide || size.height > largestSide) return undefined;
    }
    hasPixels ||= name === 'IDAT';
    at = next;
  }
  return undefined;
}
