import type { Socket } from 'node:net';
import { flags, frameHead, frameTypes, writeHead } from './frames.ts';

/** Bodies up to this size are copied into their frame, and frames of up to this size together into one buffer. */
const largestCopy = 16_384;

/** Writes frames. All frames of one turn of the event loop go to the socket together. */
export class FrameWriter {
  readonly #socket: Socket;
  #pending: Buffer[] = [];
  #isScheduled = false;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  write(frame: Buffer): void {
    this.#pending.push(frame);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.flush);
  }

  /** Writes a header block, in as many frames as it needs. */
  headers(
    stream: number,
    block: Buffer,
    { endsStream, largestFrame }: { endsStream: boolean; largestFrame: number },
  ): void {
    for (let at = 0; at === 0 || at < block.length; at += largestFrame) {
      const part = block.subarray(at, at + largestFrame);
      const isLast = at + part.length === block.length;
      const bits = (at === 0 && endsStream ? flags.END_STREAM : 0) | (isLast ? flags.END_HEADERS : 0);
      const type = at === 0 ? frameTypes.HEADERS : frameTypes.CONTINUATION;
      this.#framed(part, { type, flags: bits, stream });
    }
  }

  data(stream: number, part: Buffer, isLast: boolean): void {
    this.#framed(part, { type: frameTypes.DATA, flags: isLast ? flags.END_STREAM : 0, stream });
  }

  readonly flush = (): void => {
    this.#isScheduled = false;
    const frames = this.#pending;
    this.#pending = [];
    if (frames.length === 0 || this.#socket.destroyed || this.#socket.writableEnded) return;
    let size = 0;
    for (const frame of frames) size += frame.length;
    if (frames.length === 1 || size <= largestCopy) {
      this.#socket.write(frames.length === 1 ? (frames[0] as Buffer) : Buffer.concat(frames, size));
      return;
    }
    this.#socket.cork();
    for (const frame of frames) this.#socket.write(frame);
    this.#socket.uncork();
  };

  #framed(part: Buffer, { type, flags: bits, stream }: { type: number; flags: number; stream: number }): void {
    const isCopied = part.length <= largestCopy;
    const bytes = Buffer.allocUnsafe(frameHead + (isCopied ? part.length : 0));
    writeHead(bytes, 0, { length: part.length, type, flags: bits, stream });
    if (isCopied) part.copy(bytes, frameHead);
    this.write(bytes);
    if (!isCopied) this.write(part);
  }
}
