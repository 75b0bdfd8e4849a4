import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ErrorName,
  errorCodes,
  flags,
  frameHead,
  frameTypes,
  numberFrame,
  pingFrame,
  preface,
  settingIds,
  settingsFrame,
  writeHead,
} from './frames.ts';
import { encodeHeader } from './hpack-encoder.ts';
import { Http2Session } from './http2-session.ts';
import type { StreamEnd, StreamListener } from './http2-stream.ts';
import { ReadBuffer } from './read-buffer.ts';

/** What stands in for a socket: it keeps what is written. */
class Wire extends EventEmitter {
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

const options = { streamWindow: 1000, connectionWindow: 100_000, mostHeaders: 4_000 };
const hello = settingsFrame([]);

function open(settings = hello) {
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
function sentFrames(wire: Wire) {
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

function frame(type: number, stream: number, payload: Buffer | string = '', bits = 0): Buffer {
  const body = Buffer.from(payload as string, 'latin1');
  const head = Buffer.alloc(frameHead);
  writeHead(head, 0, { length: body.length, type, flags: bits, stream });
  return Buffer.concat([head, body]);
}

const block = (headers: Record<string, string>): Buffer =>
  Buffer.concat(Object.entries(headers).map(([name, value]) => encodeHeader(name, value)));
const headersFrame = (stream: number, headers: Record<string, string>, bits = 0): Buffer =>
  frame(frameTypes.HEADERS, stream, block(headers), flags.END_HEADERS | bits);
const ok = (stream: number): Buffer => headersFrame(stream, { ':status': '200' });
const trailers = (stream: number): Buffer => headersFrame(stream, { 'grpc-status': '0' }, flags.END_STREAM);

/** A listener that writes down what it hears. */
function recorder(): StreamListener & { readonly heard: unknown[] } {
  const heard: unknown[] = [];
  return {
    heard,
    onHeaders: (headers) => heard.push({ ...headers }),
    onData: (bytes, from, to) => heard.push(bytes.toString('latin1', from, to)),
    onTrailers: (headers) => heard.push({ ...headers }),
    onClose: (end) => heard.push(end),
  };
}

/** Sends a request without a body that matters. */
function ask({ session }: { readonly session: Http2Session }, body = 'hello') {
  const listener = recorder();
  const request = session.request(block({ ':method': 'POST' }), Buffer.from(body), listener);
  return { ...request, heard: listener.heard };
}

const flushed = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('Http2Session', () => {
  it('begins with its settings and answers the server', async () => {
    const { wire } = open();
    await flushed();
    expect(wire.written[0]).toEqual(preface);
    expect(sentFrames(wire).map(({ type, bits, payload }) => [type, bits, payload.toString('hex')])).toEqual([
      ['SETTINGS', 0, '0002000000000004000003e8000600000fa0'],
      ['WINDOW_UPDATE', 0, (100_000 - 65_535).toString(16).padStart(8, '0')],
      ['SETTINGS', flags.ACK, ''],
    ]);
  });

  it('sends a request in one go and gives its answer', async () => {
    const { receive, sent, ...parts } = open();
    const { heard } = ask(parts);
    await flushed();
    expect(sent().slice(-2)).toEqual([
      { type: 'HEADERS', bits: flags.END_HEADERS, stream: 1, payload: Buffer.of(0x83) },
      { type: 'DATA', bits: flags.END_STREAM, stream: 1, payload: Buffer.from('hello') },
    ]);
    receive(ok(1), frame(frameTypes.DATA, 1, 'wor'), frame(frameTypes.DATA, 1, 'ld'), trailers(1));
    expect(heard).toEqual([{ ':status': '200' }, 'wor', 'ld', { 'grpc-status': '0' }, 'complete']);
  });

  it('gives the same wherever its input is cut', () => {
    const padded = Buffer.concat([Buffer.of(3), Buffer.from('padded'), Buffer.alloc(3)]);
    const long = block({ ':status': '200', 'content-type': 'application/grpc' });
    const conversation = Buffer.concat([
      frame(frameTypes.PRIORITY, 1, Buffer.alloc(5)),
      headersFrame(1, { ':status': '103', link: 'early' }),
      frame(frameTypes.HEADERS, 1, long.subarray(0, 5)),
      frame(frameTypes.CONTINUATION, 1, long.subarray(5), flags.END_HEADERS),
      frame(frameTypes.DATA, 1, padded, flags.PADDED),
      frame(200, 7, 'a frame that nobody knows'),
      frame(frameTypes.DATA, 1, ''),
      pingFrame(Buffer.from('whatever'), false),
      headersFrame(3, { ':status': '200' }),
      frame(frameTypes.DATA, 3, 'other'),
      frame(frameTypes.DATA, 1, 'more'),
      frame(frameTypes.HEADERS, 1, Buffer.concat([Buffer.alloc(5), block({ 'grpc-status': '0' })]), 0x25),
      numberFrame(frameTypes.RST_STREAM, 3, errorCodes.ENHANCE_YOUR_CALM),
    ]);
    const expected = [
      [{ ':status': '200', 'content-type': 'application/grpc' }, 'padded', 'more', { 'grpc-status': '0' }, 'complete'],
      [{ ':status': '200' }, 'other', { reset: errorCodes.ENHANCE_YOUR_CALM }],
    ];
    for (let cut = 0; cut <= conversation.length; cut++) {
      const { receive, ...parts } = open();
      const requests = [ask(parts), ask(parts)];
      receive(conversation.subarray(0, cut), conversation.subarray(cut));
      expect(requests.map(({ heard }) => heard)).toEqual(expected);
    }
    const { receive, ...parts } = open();
    const requests = [ask(parts), ask(parts)];
    receive(...Array.from(conversation, (byte) => Buffer.of(byte)));
    expect(requests.map(({ heard }) => heard)).toEqual(expected);
  });

  it('keeps to the windows of the server', async () => {
    const { receive, sent, ...parts } = open(settingsFrame([[settingIds.INITIAL_WINDOW_SIZE, 4]]));
    ask(parts, 'abcdefghij');
    await flushed();
    const bodies = () => sent().filter(({ type }) => type === 'DATA');
    const body = (text: string, bits = 0) => ({ type: 'DATA', bits, stream: 1, payload: Buffer.from(text) });
    expect(bodies()).toEqual([body('abcd')]);
    receive(numberFrame(frameTypes.WINDOW_UPDATE, 1, 2));
    await flushed();
    expect(bodies()).toEqual([body('ef')]);
    // Smaller by three: what was sent already is a debt.
    receive(settingsFrame([[settingIds.INITIAL_WINDOW_SIZE, 1]]), numberFrame(frameTypes.WINDOW_UPDATE, 1, 3));
    await flushed();
    expect(bodies()).toEqual([]);
    receive(settingsFrame([[settingIds.INITIAL_WINDOW_SIZE, 100]]));
    await flushed();
    expect(bodies()).toEqual([body('ghij', flags.END_STREAM)]);
  });

  it('keeps to the window of the connection, and goes on with all that wait for it', async () => {
    const { receive, sent, ...parts } = open(settingsFrame([[settingIds.INITIAL_WINDOW_SIZE, 100_000]]));
    ask(parts, 'x'.repeat(65_530));
    ask(parts, 'y'.repeat(10));
    await flushed();
    const sizes = () =>
      sent()
        .filter(({ type }) => type === 'DATA')
        .map(({ stream, payload, bits }) => [stream, payload.length, bits]);
    expect(sizes()).toEqual([
      [1, 16_384, 0],
      [1, 16_384, 0],
      [1, 16_384, 0],
      [1, 16_378, 1],
      [3, 5, 0],
    ]);
    receive(numberFrame(frameTypes.WINDOW_UPDATE, 0, 3), numberFrame(frameTypes.WINDOW_UPDATE, 0, 3));
    await flushed();
    expect(sizes()).toEqual([
      [3, 3, 0],
      [3, 2, 1],
    ]);
  });

  it('opens its own windows again as they are used, but not for a reader that waits', async () => {
    const { receive, sent, ...parts } = open();
    const request = ask(parts);
    receive(ok(1), frame(frameTypes.DATA, 1, 'x'.repeat(499)));
    await flushed();
    const updates = () => sent().filter(({ type }) => type === 'WINDOW_UPDATE');
    const update = (stream: number, by: number) => {
      const payload = Buffer.alloc(4);
      payload.writeUInt32BE(by);
      return { type: 'WINDOW_UPDATE', bits: 0, stream, payload };
    };
    updates();
    receive(frame(frameTypes.DATA, 1, 'x'));
    await flushed();
    expect(updates()).toEqual([update(1, 500)]);
    request.pause();
    receive(frame(frameTypes.DATA, 1, 'x'.repeat(1000)));
    await flushed();
    expect(updates()).toEqual([]);
    request.resume();
    await flushed();
    expect(updates()).toEqual([update(1, 1000)]);
  });

  it('opens the window of the connection for data that nobody reads', async () => {
    const { receive, sent, ...parts } = open();
    for (let count = 0; count < 100; count++) {
      const request = ask(parts);
      receive(ok(count * 2 + 1));
      request.cancel();
      receive(frame(frameTypes.DATA, count * 2 + 1, 'x'.repeat(500)));
    }
    await flushed();
    const updates = sent().filter(({ type, stream }) => type === 'WINDOW_UPDATE' && stream === 0);
    expect(updates.map(({ payload }) => payload.readUInt32BE())).toEqual([100_000 - 65_535, 50_000]);
  });

  it('sends no more requests at a time than the server takes', async () => {
    const { receive, sent, ...parts } = open(settingsFrame([[settingIds.MAX_CONCURRENT_STREAMS, 1]]));
    const first = ask(parts);
    const second = ask(parts);
    const third = ask(parts);
    await flushed();
    const opened = () =>
      sent()
        .filter(({ type }) => type === 'HEADERS')
        .map(({ stream }) => stream);
    expect(opened()).toEqual([1]);
    second.cancel();
    receive(ok(1), trailers(1));
    await flushed();
    expect(opened()).toEqual([3]);
    receive(ok(3), trailers(3));
    expect([first.heard.at(-1), second.heard, third.heard.at(-1)]).toEqual(['complete', [], 'complete']);
  });

  it('tells the server of a cancelled request, and takes what comes late', async () => {
    const { receive, sent, session } = open();
    const request = ask({ session });
    receive(ok(1));
    await flushed();
    sent();
    request.cancel();
    request.cancel();
    await flushed();
    expect(sent()).toEqual([{ type: 'RST_STREAM', bits: 0, stream: 1, payload: Buffer.of(0, 0, 0, 8) }]);
    receive(frame(frameTypes.DATA, 1, 'late'), trailers(1), numberFrame(frameTypes.RST_STREAM, 1, 0));
    expect(request.heard).toEqual([{ ':status': '200' }]);
    expect(session.isUsable).toBe(true);
  });

  it('wants no more of a request whose answer is complete', async () => {
    const { receive, sent, ...parts } = open(settingsFrame([[settingIds.INITIAL_WINDOW_SIZE, 1]]));
    const { heard } = ask(parts, 'long');
    receive(headersFrame(1, { ':status': '200', 'grpc-status': '3' }, flags.END_STREAM));
    await flushed();
    expect(heard).toEqual([{ ':status': '200', 'grpc-status': '3' }, 'complete']);
    expect(sent().at(-1)).toEqual({ type: 'RST_STREAM', bits: 0, stream: 1, payload: Buffer.alloc(4) });
  });

  it('finishes what the server has seen when it says good-bye, and nothing else', () => {
    const { receive, session } = open();
    const [seen, unseen] = [ask({ session }), ask({ session })];
    receive(numberFrame(frameTypes.GOAWAY, 0, 1, 0));
    expect([session.isUsable, session.isClosed]).toEqual([false, false]);
    expect(unseen.heard).toEqual([{ reset: errorCodes.REFUSED_STREAM }]);
    receive(ok(1), trailers(1));
    expect(seen.heard.at(-1)).toBe('complete');
    expect(session.isClosed).toBe(true);
  });

  it('breaks all requests when the connection goes', async () => {
    const { wire, session } = open(settingsFrame([[settingIds.MAX_CONCURRENT_STREAMS, 1]]));
    const requests = [ask({ session }), ask({ session })];
    let closed = 0;
    session.whenClosed(() => closed++);
    wire.emit('error', new Error('ECONNRESET'));
    wire.emit('close');
    const late = ask({ session });
    await flushed();
    const broken = { broken: new Error('ECONNRESET') };
    expect([...requests, late].map(({ heard }) => heard)).toEqual([[broken], [broken], [broken]]);
    expect(closed).toBe(1);
  });

  it('answers pings and hears the answers to its own', async () => {
    const { receive, sent, session } = open();
    await flushed();
    sent();
    receive(pingFrame(Buffer.from('8 bytes!'), false));
    let answers = 0;
    session.ping(() => answers++);
    await flushed();
    expect(sent()).toEqual([
      { type: 'PING', bits: flags.ACK, stream: 0, payload: Buffer.from('8 bytes!') },
      { type: 'PING', bits: 0, stream: 0, payload: Buffer.alloc(8) },
    ]);
    expect(answers).toBe(0);
    receive(pingFrame(Buffer.alloc(8), true));
    expect(answers).toBe(1);
  });

  it('cuts off a server that asks without reading the answers', () => {
    const { wire, receive, session } = open();
    wire.writableLength = 1;
    for (let count = 0; count < 10_000; count++) receive(pingFrame(Buffer.alloc(8), false));
    expect(session.isClosed).toBe(false);
    receive(pingFrame(Buffer.alloc(8), false));
    expect(session.fault?.message).toBe('It asks without reading the answers.');
  });

  it.each<readonly [what: string, code: ErrorName, frames: readonly Buffer[]]>([
    ['headers without a stream', 'PROTOCOL_ERROR', [headersFrame(0, { ':status': '200' })]],
    ['headers of a stream that nobody opened', 'PROTOCOL_ERROR', [headersFrame(9, { ':status': '200' })]],
    ['a stream of its own', 'PROTOCOL_ERROR', [headersFrame(2, { ':status': '200' })]],
    ['a body before its headers', 'PROTOCOL_ERROR', [frame(frameTypes.DATA, 1, 'x')]],
    ['a body without a stream', 'PROTOCOL_ERROR', [frame(frameTypes.DATA, 0, 'x')]],
    ['a push', 'PROTOCOL_ERROR', [frame(frameTypes.PUSH_PROMISE, 1, Buffer.alloc(8), flags.END_HEADERS)]],
    ['a frame within headers', 'PROTOCOL_ERROR', [frame(frameTypes.HEADERS, 1, ''), hello]],
    ['a continuation of nothing', 'PROTOCOL_ERROR', [frame(frameTypes.CONTINUATION, 1, '', flags.END_HEADERS)]],
    ['too much padding', 'PROTOCOL_ERROR', [ok(1), frame(frameTypes.DATA, 1, Buffer.of(9, 1), flags.PADDED)]],
    ['padding without its size', 'PROTOCOL_ERROR', [ok(1), frame(frameTypes.DATA, 1, '', flags.PADDED)]],
    ['settings of a stream', 'PROTOCOL_ERROR', [frame(frameTypes.SETTINGS, 1)]],
    ['a ping of a stream', 'PROTOCOL_ERROR', [frame(frameTypes.PING, 1, Buffer.alloc(8))]],
    ['an impossible frame size', 'PROTOCOL_ERROR', [settingsFrame([[settingIds.MAX_FRAME_SIZE, 100]])]],
    ['a window wider by nothing', 'PROTOCOL_ERROR', [numberFrame(frameTypes.WINDOW_UPDATE, 0, 0)]],
    ['a window that is too wide', 'FLOW_CONTROL_ERROR', [numberFrame(frameTypes.WINDOW_UPDATE, 0, 2 ** 31 - 1)]],
    ['an impossible window', 'FLOW_CONTROL_ERROR', [settingsFrame([[settingIds.INITIAL_WINDOW_SIZE, 2 ** 31]])]],
    ['a frame that is too large', 'FRAME_SIZE_ERROR', [frame(frameTypes.DATA, 1, 'x'.repeat(16_385))]],
    ['settings of a wrong size', 'FRAME_SIZE_ERROR', [frame(frameTypes.SETTINGS, 0, 'x')]],
    ['a ping of a wrong size', 'FRAME_SIZE_ERROR', [frame(frameTypes.PING, 0, 'x')]],
    ['a reset of a wrong size', 'FRAME_SIZE_ERROR', [frame(frameTypes.RST_STREAM, 1, 'x')]],
    ['a good-bye of a wrong size', 'FRAME_SIZE_ERROR', [frame(frameTypes.GOAWAY, 0, 'x')]],
    ['headers of a wrong size', 'FRAME_SIZE_ERROR', [frame(frameTypes.HEADERS, 1, 'x', flags.PRIORITY)]],
    ['headers that cannot be read', 'COMPRESSION_ERROR', [frame(frameTypes.HEADERS, 1, Buffer.of(0xfe), 4)]],
    ['headers without an end', 'ENHANCE_YOUR_CALM', [...endless()]],
  ])('ends the connection of a server with %s', async (_, code, frames) => {
    const { receive, sent, session } = open();
    const { heard } = ask({ session });
    receive(...frames);
    await flushed();
    const good = Buffer.alloc(8);
    good.writeUInt32BE(errorCodes[code], 4);
    expect(sent().at(-1)).toEqual({ type: 'GOAWAY', bits: 0, stream: 0, payload: good });
    expect(heard.at(-1)).toEqual({ broken: session.fault });
    expect(session.isClosed).toBe(true);
  });

  it('wants the settings first', () => {
    const wire = new Wire();
    const input = new ReadBuffer();
    const session = new Http2Session(wire as unknown as Socket, input, options);
    session.begin();
    input.append(Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'));
    session.received();
    expect(session.isClosed).toBe(true);
  });

  it.each([
    ['more than its window', 'FLOW_CONTROL_ERROR', frame(frameTypes.DATA, 1, 'x'.repeat(1001))],
    ['a window wider by nothing', 'PROTOCOL_ERROR', numberFrame(frameTypes.WINDOW_UPDATE, 1, 0)],
    ['a window that is too wide', 'FLOW_CONTROL_ERROR', numberFrame(frameTypes.WINDOW_UPDATE, 1, 2 ** 31 - 1)],
  ] as const)('resets a stream with %s, and no other', async (_, code, wrong) => {
    const { receive, sent, session } = open();
    const [faulty, other] = [ask({ session }), ask({ session })];
    receive(ok(1), ok(3), wrong, trailers(3));
    await flushed();
    expect(faulty.heard).toEqual([{ ':status': '200' }, { reset: errorCodes[code] }]);
    expect(sent().at(-1)).toMatchObject({ type: 'RST_STREAM', stream: 1 });
    expect(other.heard.at(-1)).toBe('complete');
    expect(session.isUsable).toBe(true);
  });

  it('survives any bytes: every request hears of one end at most, and of one when the connection goes', () => {
    const good = [
      ok(1),
      frame(frameTypes.DATA, 1, 'text'),
      pingFrame(Buffer.alloc(8), false),
      settingsFrame([[settingIds.INITIAL_WINDOW_SIZE, 10]]),
      numberFrame(frameTypes.WINDOW_UPDATE, 3, 100),
      headersFrame(3, { ':status': '200', 'x-name': 'value' }),
      numberFrame(frameTypes.RST_STREAM, 5, 7),
      trailers(1),
      numberFrame(frameTypes.GOAWAY, 0, 7, 0),
    ];
    const piece = fc.oneof(
      fc.constantFrom(...good),
      fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
      fc
        .tuple(fc.constantFrom(...good), fc.nat(), fc.nat(255))
        .map(([bytes, at, byte]) => Buffer.from(bytes.map((old, index) => (index === at % bytes.length ? byte : old)))),
      fc
        .record({ type: fc.nat(10), stream: fc.nat(9), bits: fc.nat(255), body: fc.uint8Array({ maxLength: 30 }) })
        .map(({ type, stream, bits, body }) => frame(type, stream, Buffer.from(body), bits)),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const { receive, session } = open();
        const requests = Array.from({ length: 4 }, () => ask({ session }));
        receive(...pieces);
        session.destroy();
        for (const { heard } of requests) {
          const ends = heard.filter((each) => isEnd(each as StreamEnd));
          expect(ends).toHaveLength(1);
          expect(heard.at(-1)).toBe(ends[0]);
        }
      }),
      { numRuns: 2_000, seed: 7 },
    );
  });
});

function isEnd(heard: StreamEnd): boolean {
  return heard === 'complete' || (typeof heard === 'object' && ('reset' in heard || 'broken' in heard));
}

function endless(): Buffer[] {
  const more = Array.from({ length: 64 }, () => frame(frameTypes.CONTINUATION, 1, ''));
  return [frame(frameTypes.HEADERS, 1, ''), ...more];
}
