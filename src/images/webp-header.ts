import type { ImageSize } from './image-size.ts';

const riffLength = 12;
const chunkFrame = 8;

/** The size of a WebP file in each of its three forms. One with a canvas must hold a picture of that size, or frames. */
export function webpHeader(bytes: Buffer): ImageSize | undefined {
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
    // Chunks begin at even places.
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
