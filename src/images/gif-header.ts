import type { ImageSize } from './image-size.ts';

const screenLength = 13;
const frameLength = 10;
const extension = 0x21;
const frame = 0x2c;

/** The size of what a GIF file's screen and its first frame cover together. Further frames are not looked at. */
export function gifHeader(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < screenLength) return undefined;
  let at = screenLength + colourTableLength(bytes[10] as number);
  while (bytes[at] === extension) {
    const end = endOfBlocks(bytes, at + 2);
    if (end === undefined) return undefined;
    at = end;
  }
  if (bytes[at] !== frame || at + frameLength > bytes.length) return undefined;
  const pixels = at + frameLength + colourTableLength(bytes[at + 9] as number);
  // One byte says how the pixels are coded, then they come in blocks.
  if (endOfBlocks(bytes, pixels + 1) === undefined) return undefined;
  const side = (place: number): number => bytes.readUInt16LE(place);
  if (side(at + 5) === 0 || side(at + 7) === 0) return undefined;
  return {
    width: Math.max(side(6), side(at + 1) + side(at + 5)),
    height: Math.max(side(8), side(at + 3) + side(at + 7)),
  };
}

function colourTableLength(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

/** Where a row of blocks, each with its length before it, ends with an empty one. */
function endOfBlocks(bytes: Buffer, start: number): number | undefined {
  for (let at = start; at < bytes.length; at += 1 + (bytes[at] as number)) if (bytes[at] === 0) return at + 1;
  return undefined;
}
