import type { IncomingMessage } from 'node:http';
import { StatusError } from '../../kserve/status.ts';

/** A body in so many small pieces is an attack, not an upload. */
const mostSmallPieces = 65_536;
const smallPiece = 1024;

/** Reads a whole body, up to the limits. */
export async function readBody(message: IncomingMessage, maxInputSize: number): Promise<Buffer> {
  const declared = Number(message.headers['content-length'] ?? 0);
  if (declared > maxInputSize) throw tooLarge(declared, maxInputSize);
  const pieces: Buffer[] = [];
  let size = 0;
  let small = 0;
  for await (const piece of uploaded(message)) {
    size += piece.length;
    if (size > maxInputSize) throw tooLarge(size, maxInputSize);
    if (piece.length < smallPiece && ++small > mostSmallPieces)
      throw new StatusError(
        'INVALID_ARGUMENT',
        `The request comes in more than the ${mostSmallPieces} chunks that are allowed.`,
      );
    pieces.push(piece);
  }
  return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces, size);
}

/** The pieces of a body; a client that leaves in the middle of it is no fault of ours. */
async function* uploaded(message: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    yield* message as AsyncIterable<Buffer>;
  } catch (error) {
    throw new StatusError('CANCELLED', 'The client closed the request before it was whole.', { cause: error });
  }
}

/** What is said of a body that is larger than allowed, compressed or not. */
export function tooLarge(size: number | undefined, maxInputSize: number): StatusError {
  const shown = size === undefined ? '' : ` of ${size} bytes`;
  return new StatusError(
    'INVALID_ARGUMENT',
    `Request JSON size${shown} exceeds the maximum allowed value of ${maxInputSize} bytes. ` +
      'Use --http-max-input-size to increase the limit.',
  );
}
