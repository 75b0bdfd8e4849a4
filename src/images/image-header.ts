export type ImageType = 'image/png' | 'image/jpeg' | 'image/webp' | 'image/gif';

export interface ImageHeader extends ImageSize {
  readonly type: ImageType;
}

/** An image format: how its first bytes look, its name, and how to read its size. */
const kinds: readonly {
  readonly type: ImageType;
  readonly name: string;
  readonly fits: (bytes: Buffer) => boolean;
  /** Undefined if the file is truncated or inconsistent. */
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
 * The type and size of an image file. No pixel is decoded: the file is walked once, from part to part, which also
 * detects truncated files.
 */
export function imageHeader(bytes: Buffer): ImageHeader {
  const kind = kinds.find(({ fits }) => fits(bytes));
  if (!kind) throw new ImageError('is not a PNG, JPEG, WebP or GIF file.');
  const size = kind.read(bytes);
  if (!size || size.width < 1 || size.height < 1)
    throw new ImageError(`is a ${kind.name} file that is truncated or damaged.`);
  return { type: kind.type, width: size.width, height: size.height };
}

function startsWith(bytes: Buffer, mark: string): boolean {
  return bytes.toString('latin1', 0, mark.length) === mark;
}

/** The size in the header of an image. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

const signatureLength = 8;
/** The bytes of length, name and checksum of a chunk. */
const pngFrameLength = 12;
const largestSide = 2 ** 31 - 1;
/** Chunk names, four letters read as a number, because a file may have a million chunks. */
const names = { header: nameOf('IHDR'), pixels: nameOf('IDAT'), end: nameOf('IEND') };

/** The size in the first chunk of a PNG file with complete chunks. */
function pngHeader(bytes: Buffer): ImageSize | undefined {
  let size: ImageSize | undefined;
  let hasPixels = false;
  for (let at = signatureLength; at + pngFrameLength <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const name = bytes.readUInt32BE(at + 4);
    const next = at + pngFrameLength + length;
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

const startOfScan = 0xda;
const endOfImage = Buffer.of(0xff, 0xd9);
/** Markers without a length. */
const isBare = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
/** The start-of-frame markers; three numbers in their range have another meaning. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

/** The size in the only frame header of a JPEG file. The end of the image must follow its pixels. */
function jpegHeader(bytes: Buffer): ImageSize | undefined {
  let size: ImageSize | undefined;
  for (let at = 2; at + 4 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1] as number;
    // Any number of fill bytes may precede a marker.
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

const screenLength = 13;
const gifFrameLength = 10;
const extension = 0x21;
const frame = 0x2c;

/** The size that the screen and the first frame of a GIF file cover together. Further frames are ignored. */
function gifHeader(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < screenLength) return undefined;
  let at = screenLength + colourTableLength(bytes[10] as number);
  while (bytes[at] === extension) {
    const end = endOfBlocks(bytes, at + 2);
    if (end === undefined) return undefined;
    at = end;
  }
  if (bytes[at] !== frame || at + gifFrameLength > bytes.length) return undefined;
  const pixels = at + gifFrameLength + colourTableLength(bytes[at + 9] as number);
  // One byte is the code size of the pixels, which follow in blocks.
  if (endOfBlocks(bytes, pixels + 1) === undefined) return undefined;
  const side = (offset: number): number => bytes.readUInt16LE(offset);
  if (side(at + 5) === 0 || side(at + 7) === 0) return undefined;
  return {
    width: Math.max(side(6), side(at + 1) + side(at + 5)),
    height: Math.max(side(8), side(at + 3) + side(at + 7)),
  };
}

function colourTableLength(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

/** The end of a list of length-prefixed blocks, which an empty block terminates. */
function endOfBlocks(bytes: Buffer, start: number): number | undefined {
  for (let at = start; at < bytes.length; at += 1 + (bytes[at] as number)) if (bytes[at] === 0) return at + 1;
  return undefined;
}

const riffLength = 12;
const chunkFrame = 8;

/** The size of a WebP file of any of the three variants. A canvas must contain an image of its size, or frames. */
function webpHeader(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < riffLength) return undefined;
  const end = bytes.readUInt32LE(4) + 8;
  if (end > bytes.length) return undefined;
  let canvas: ImageSize | undefined;
  for (let at = riffLength; at + chunkFrame <= end; ) {
    const name = bytes.toString('latin1', at, at + 4);
    const length = bytes.readUInt32LE(at + 4);
    const data = bytes.subarray(at + chunkFrame, at + chunkFrame + length);
    if (at + chunkFrame + length > end) return undefined;
    if (name === 'VP8X') {
      if (canvas) return undefined;
      canvas = canvasSize(data);
      if (!canvas) return undefined;
    } else if (name === 'ANMF') return canvas;
    else if (name === 'VP8 ' || name === 'VP8L') {
      const size = name === 'VP8L' ? losslessSize(data) : lossySize(data);
      const differs = canvas && (canvas.width !== size?.width || canvas.height !== size.height);
      return differs ? undefined : size;
    } else if (!canvas) return undefined;
    // Chunks start at even offsets.
    at += chunkFrame + length + (length % 2);
  }
  return undefined;
}

function canvasSize(data: Buffer): ImageSize | undefined {
  if (data.length < 10) return undefined;
  return { width: data.readUIntLE(4, 3) + 1, height: data.readUIntLE(7, 3) + 1 };
}

function losslessSize(data: Buffer): ImageSize | undefined {
  if (data.length < 5 || data[0] !== 0x2f) return undefined;
  const bits = data.readUInt32LE(1);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

function lossySize(data: Buffer): ImageSize | undefined {
  const isKeyFrame = data.length >= 10 && ((data[0] as number) & 1) === 0;
  if (!isKeyFrame || data.readUIntBE(3, 3) !== 0x9d012a) return undefined;
  return { width: data.readUInt16LE(6) & 0x3fff, height: data.readUInt16LE(8) & 0x3fff };
}

/** Why an image is rejected, for the client. The caller adds the request field. */
export class ImageError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ImageError';
  }
}
