import type { Http2Headers } from './hpack-decoder.ts';

/** How a stream ended: the response is complete, the server reset it, or the connection was lost. */
export type StreamEnd = 'complete' | { readonly reset: number } | { readonly broken: Error | undefined };

/** Receives the response to a request. */
export interface StreamListener {
  onHeaders(headers: Http2Headers): void;
  /** A part of the body: a range of bytes that the listener may hold on to. */
  onData(bytes: Buffer, from: number, to: number): void;
  onTrailers(headers: Http2Headers): void;
  /** Called once at the end. */
  onClose(end: StreamEnd): void;
}

/** The state of one request and its response. */
export interface StreamState {
  /** Undefined once it is over: old tables of the session's map can still refer to this object. */
  listener: StreamListener | undefined;
  /** 0 until its headers are sent. */
  id: number;
  /** The unsent part of the body; undefined when all of it is sent. */
  unsent: Buffer | undefined;
  /** How many bytes the client may send, and how many the server may send. */
  sendWindow: number;
  receiveWindow: number;
  /** Received bytes that were not yet returned to the server's window. */
  unreturned: number;
  isPaused: boolean;
  hasHeaders: boolean;
  isClosed: boolean;
}

/** Controls a running request. */
export interface Http2Request {
  /** Ends it; its listener is not called any more. */
  cancel(): void;
  /** The server may send on until its window is used up, then it waits. */
  pause(): void;
  resume(): void;
}
