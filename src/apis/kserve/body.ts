import type { IncomingMessage } from 'node:http';
import { StatusError } from '../../kserve/status.ts';

/** A body in more small pieces than this is an attack, not an upload. */
const mostSmallPieces = 65_536;
const smallPiece = 1024;

/** Reads a whole body, within the limits. */
export async function readBody(message: IncomingMessage, maxInputSize: number): Promise<Buffer> {
  const declared = Number(message.headers['content-length'] ?? 0);
  if (declared > maxInputSize) throw tooLarge(declared, maxInputSize);
  const pieces: Buffer[] = [];
  let size = 0;
  let small = 0;
  for await (const piece of piecesOf(message)) {
    size += piece.length;
    if (size > maxInputSize) throw tooLarge(size, maxInputSize);
    if (piece.length < smallPiece && ++small > mostSmallPieces)
      throw new StatusError(
        'INVALID_ARGUMENT',
        `Request body has too many small chunks: the limit is ${mostSmallPieces} chunks below ${smallPiece} bytes.`,
      );
    pieces.push(piece);
  }
  return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces, size);
}

/** The pieces of a body. A client that disconnects is no internal error. */
async function* piecesOf(message: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    yield* message as AsyncIterable<Buffer>;
  } catch (error) {
    throw new StatusError('CANCELLED', 'The client disconnected before the request was complete.', { cause: error });
  }
}

/** The error for a body above the limit, compressed or not. */
export function tooLarge(size: number | undefined, maxInputSize: number): StatusError {
  const sizeText = size === undefined ? '' : ` of ${size} bytes`;
  return new StatusError(
    'INVALID_ARGUMENT',
    `Request JSON size${sizeText} exceeds the maximum allowed value of ${maxInputSize} bytes. ` +
      'Use --http-max-input-size to increase the limit.',
  );
}
