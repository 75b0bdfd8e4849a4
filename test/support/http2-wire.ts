import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import {
  flags,
  frameHead,
  frameTypes,
  preface,
  settingsFrame,
  writeHead,
} from '../../src/servers/remote/http2/frames.ts';
import { encodeHeader } from '../../src/servers/remote/http2/hpack-encoder.ts';
import { Http2Session } from '../../src/servers/remote/http2/http2-session.ts';
import type { StreamListener } from '../../src/servers/remote/http2/http2-stream.ts';
import { ReadBuffer } from '../../src/servers/remote/http2/read-buffer.ts';

/** What stands in for a socket: it keeps what is written. */
export class Wire extends EventEmitter {
  written: Buffer[] = [];
  writableLength = 0;
  destroyed = false;
  writableEnded = false;
  cork(): void {}
  uncork(): void {}
  write(bytes: Buffer): boolean {
    this.written.push(Buffer.from(bytes));
    return true;
  }
  destroySoon(): void {
    this.writableEnded = true;
  }
}

export const options = { streamWindow: 1000, connectionWindow: 100_000, mostHeaders: 4_000 };
export const hello = settingsFrame([]);

export function open(settings = hello) {
  const wire = new Wire();
  const input = new ReadBuffer();
  const session = new Http2Session(wire as unknown as Socket, input, options);
  session.begin();
  const receive = (...chunks: readonly Buffer[]): void => {
    for (const chunk of chunks) {
      input.append(chunk);
      session.received();
    }
  };
  receive(settings);
  return { wire, session, receive, sent: () => sentFrames(wire) };
}

/** The frames that were written since the last look, without the first words. */
export function sentFrames(wire: Wire) {
  const bytes = Buffer.concat(wire.written.splice(0));
  const frames = [];
  for (let at = bytes.subarray(0, preface.length).equals(preface) ? preface.length : 0; at < bytes.length; ) {
    const end = at + frameHead + bytes.readUIntBE(at, 3);
    const type = Object.entries(frameTypes).find(([, number]) => number === bytes[at + 3])?.[0];
    const payload = bytes.subarray(at + frameHead, end);
    frames.push({ type, bits: bytes[at + 4], stream: bytes.readUInt32BE(at + 5), payload });
    at = end;
  }
  return frames;
}

export function frame(type: number, stream: number, payload: Buffer | string = '', bits = 0): Buffer {
  const body = Buffer.from(payload as string, 'latin1');
  const head = Buffer.alloc(frameHead);
  writeHead(head, 0, { length: body.length, type, flags: bits, stream });
  return Buffer.concat([head, body]);
}

export const block = (headers: Record<string, string>): Buffer =>
  Buffer.concat(Object.entries(headers).map(([name, value]) => encodeHeader(name, value)));
export const headersFrame = (stream: number, headers: Record<string, string>, bits = 0): Buffer =>
  frame(frameTypes.HEADERS, stream, block(headers), flags.END_HEADERS | bits);
export const ok = (stream: number): Buffer => headersFrame(stream, { ':status': '200' });
export const trailers = (stream: number): Buffer => headersFrame(stream, { 'grpc-status': '0' }, flags.END_STREAM);

/** A listener that writes down what it hears. */
export function recorder(): StreamListener & { readonly received: unknown[] } {
  const received: unknown[] = [];
  return {
    received,
    onHeaders: (headers) => received.push({ ...headers }),
    onData: (bytes, from, to) => received.push(bytes.toString('latin1', from, to)),
    onTrailers: (headers) => received.push({ ...headers }),
    onClose: (end) => received.push(end),
  };
}

/** Sends a request without a body that matters. */
export function ask({ session }: { readonly session: Http2Session }, body = 'hello') {
  const listener = recorder();
  const request = session.request(block({ ':method': 'POST' }), Buffer.from(body), listener);
  return { ...request, received: listener.received };
}

export const flushed = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
