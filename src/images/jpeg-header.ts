import type { ImageSize } from './image-size.ts';

const startOfScan = 0xda;
const endOfImage = Buffer.of(0xff, 0xd9);
/** Markers that stand alone, without a length. */
const isBare = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
/** Start of frame, in all its kinds; three numbers in their midst mean something else. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

/** The size in the one frame that a JPEG file announces before its pixels; the end of the picture must follow them. */
export function jpegHeader(bytes: Buffer): ImageSize | undefined {
  let size: ImageSize | undefined;
  for (let at = 2; at + 4 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1] as number;
    // Any number of these may fill the space before a marker.
    if (marker === 0xff) at += 1;
    else if (isBare(marker)) at += 2;
    else {
      const length = bytes.readUInt16BE(at + 2);
      const next = at + 2 + length;
      if (length < 2 || next > bytes.length) return undefined;
      if (marker === startOfScan) return bytes.lastIndexOf(endOfImage) >= next ? size : undefined;
      if (isFrame(marker)) {
        if (size || length < 8) return undefined;
        size = { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
      }
      at = next;
    }
  }
  return undefined;
}
