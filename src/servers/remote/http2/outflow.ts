import { protocolError } from './frame-reader.ts';
import type { FrameWriter } from './frame-writer.ts';
import { firstWindow, largestFrameLimit, largestWindow, ProtocolError, smallestFrameLimit } from './frames.ts';
import type { StreamState } from './http2-stream.ts';

/** Sends the requests of a connection, within the windows that the server allows. */
export class Outflow {
  readonly #writer: FrameWriter;
  readonly #streams: ReadonlyMap<number, StreamState>;
  #largestFrame = smallestFrameLimit;
  /** How many bytes a new stream may send, and all streams together. */
  #streamWindow = firstWindow;
  #window = firstWindow;

  constructor(writer: FrameWriter, streams: ReadonlyMap<number, StreamState>) {
    this.#writer = writer;
    this.#streams = streams;
  }

  /** Sends the headers of a request, and as much of its body as the windows allow. */
  begin(state: StreamState, block: Buffer): void {
    state.sendWindow = this.#streamWindow;
    const endsStream = state.unsent === undefined || state.unsent.length === 0;
    if (endsStream) state.unsent = undefined;
    this.#writer.headers(state.id, block, { endsStream, largestFrame: this.#largestFrame });
    this.send(state);
  }

  /** Sends as much of a body as the windows allow. */
  send(state: StreamState): void {
    while (state.unsent && !state.isClosed) {
      const size = Math.min(state.unsent.length, state.sendWindow, this.#window, this.#largestFrame);
      if (size <= 0) return;
      const isLast = size === state.unsent.length;
      this.#writer.data(state.id, isLast ? state.unsent : state.unsent.subarray(0, size), isLast);
      state.unsent = isLast ? undefined : state.unsent.subarray(size);
      state.sendWindow -= size;
      this.#window -= size;
    }
  }

  /** All streams together may send this many more bytes. */
  widen(increment: number): void {
    this.#window += increment;
    if (this.#window > largestWindow) throw tooWide();
    this.#sendAll();
  }

  limitFrames(size: number): void {
    if (size < smallestFrameLimit || size > largestFrameLimit) throw protocolError('MAX_FRAME_SIZE is out of range');
    this.#largestFrame = size;
  }

  /** Sets the window of new streams, and changes that of running streams by the difference. */
  resize(window: number): void {
    if (window > largestWindow) throw tooWide();
    const change = window - this.#streamWindow;
    this.#streamWindow = window;
    for (const state of this.#streams.values()) {
      state.sendWindow += change;
      if (state.sendWindow > largestWindow) throw tooWide();
    }
    this.#sendAll();
  }

  #sendAll(): void {
    for (const state of this.#streams.values()) {
      if (this.#window <= 0) return;
      this.send(state);
    }
  }
}

function tooWide(): ProtocolError {
  return new ProtocolError('FLOW_CONTROL_ERROR', 'The server violates HTTP/2: a window is too large.');
}
