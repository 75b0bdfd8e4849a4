import type { Headers } from './hpack-decoder.ts';

/** How a stream came to its end: the server said all, reset it, or the connection went away under it. */
export type StreamEnd = 'complete' | { readonly reset: number } | { readonly broken: Error | undefined };

/** Who hears of the answer to a request. */
export interface StreamListener {
  onHeaders(headers: Headers): void;
  /** A part of the body: a place in bytes that the listener may keep. */
  onData(bytes: Buffer, from: number, to: number): void;
  onTrailers(headers: Headers): void;
  /** The end, once; nothing comes after it. */
  onClose(end: StreamEnd): void;
}

/** One request and its answer, as the session keeps it. */
export interface StreamState {
  /** Undefined once it is over: tables that the session's map has outgrown hold on to their streams. */
  listener: StreamListener | undefined;
  /** The frames of its headers, until they are sent. */
  id: number;
  /** What of the body is not sent yet; undefined when all of it is. */
  unsent: Buffer | undefined;
  /** Bytes that we may send, and those that the server may. */
  sendWindow: number;
  receiveWindow: number;
  /** Bytes that were received and not given back to the server's window. */
  unreturned: number;
  isPaused: boolean;
  hasHeaders: boolean;
  isClosed: boolean;
}

/** A running request, for the one who made it. */
export interface Http2Request {
  /** Ends it; its listener hears nothing more. */
  cancel(): void;
  /** The server may send on until its window is used up, then it waits. */
  pause(): void;
  resume(): void;
}
