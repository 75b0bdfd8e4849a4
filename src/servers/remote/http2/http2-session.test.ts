import { describe, expect, it } from 'vitest';
import {
  ask,
  block,
  flushed,
  frame,
  headersFrame,
  ok,
  open,
  sentFrames,
  trailers,
} from '../../../../test/support/http2-wire.ts';
import { errorCodes, flags, frameTypes, numberFrame, pingFrame, preface, settingIds, settingsFrame } from './frames.ts';

describe('Http2Session', () => {
  it('sends its settings first and responds to the server', async () => {
    const { wire } = open();
    await flushed();
    expect(wire.written[0]?.subarray(0, preface.length)).toEqual(preface);
    expect(sentFrames(wire).map(({ type, bits, payload }) => [type, bits, payload.toString('hex')])).toEqual([
      ['SETTINGS', 0, '0002000000000004000003e8000600000fa0'],
      ['WINDOW_UPDATE', 0, (100_000 - 65_535).toString(16).padStart(8, '0')],
      ['SETTINGS', flags.ACK, ''],
    ]);
  });

  it('sends a request at once and returns its response', async () => {
    const { receive, sent, ...parts } = open();
    const { received } = ask(parts);
    await flushed();
    expect(sent().slice(-2)).toEqual([
      { type: 'HEADERS', bits: flags.END_HEADERS, stream: 1, payload: Buffer.of(0x83) },
      { type: 'DATA', bits: flags.END_STREAM, stream: 1, payload: Buffer.from('hello') },
    ]);
    receive(ok(1), frame(frameTypes.DATA, 1, 'wor'), frame(frameTypes.DATA, 1, 'ld'), trailers(1));
    expect(received).toEqual([{ ':status': '200' }, 'wor', 'ld', { 'grpc-status': '0' }, 'complete']);
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
      expect(requests.map(({ received }) => received)).toEqual(expected);
    }
    const { receive, ...parts } = open();
    const requests = [ask(parts), ask(parts)];
    receive(...Array.from(conversation, (byte) => Buffer.of(byte)));
    expect(requests.map(({ received }) => received)).toEqual(expected);
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

  it('opens the window of the connection for unread data', async () => {
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
    const handles = () =>
      sent()
        .filter(({ type }) => type === 'HEADERS')
        .map(({ stream }) => stream);
    expect(handles()).toEqual([1]);
    second.cancel();
    receive(ok(1), trailers(1));
    await flushed();
    expect(handles()).toEqual([3]);
    receive(ok(3), trailers(3));
    expect([first.received.at(-1), second.received, third.received.at(-1)]).toEqual(['complete', [], 'complete']);
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
    expect(request.received).toEqual([{ ':status': '200' }]);
    expect(session.isUsable).toBe(true);
  });

  it('sends no more of a request whose response is complete', async () => {
    const { receive, sent, ...parts } = open(settingsFrame([[settingIds.INITIAL_WINDOW_SIZE, 1]]));
    const { received } = ask(parts, 'long');
    receive(headersFrame(1, { ':status': '200', 'grpc-status': '3' }, flags.END_STREAM));
    await flushed();
    expect(received).toEqual([{ ':status': '200', 'grpc-status': '3' }, 'complete']);
    expect(sent().at(-1)).toEqual({ type: 'RST_STREAM', bits: 0, stream: 1, payload: Buffer.alloc(4) });
  });

  it('finishes what the server has seen when it says good-bye, and nothing else', () => {
    const { receive, session } = open();
    const [seen, unseen] = [ask({ session }), ask({ session })];
    receive(numberFrame(frameTypes.GOAWAY, 0, 1, 0));
    expect([session.isUsable, session.isClosed]).toEqual([false, false]);
    expect(unseen.received).toEqual([{ reset: errorCodes.REFUSED_STREAM }]);
    receive(ok(1), trailers(1));
    expect(seen.received.at(-1)).toBe('complete');
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
    expect([...requests, late].map(({ received }) => received)).toEqual([[broken], [broken], [broken]]);
    expect(closed).toBe(1);
  });

  it('responds to pings and gets the responses to its own', async () => {
    const { receive, sent, session } = open();
    await flushed();
    sent();
    receive(pingFrame(Buffer.from('8 bytes!'), false));
    let responses = 0;
    session.ping(() => responses++);
    await flushed();
    expect(sent()).toEqual([
      { type: 'PING', bits: flags.ACK, stream: 0, payload: Buffer.from('8 bytes!') },
      { type: 'PING', bits: 0, stream: 0, payload: Buffer.alloc(8) },
    ]);
    expect(responses).toBe(0);
    receive(pingFrame(Buffer.alloc(8), true));
    expect(responses).toBe(1);
  });
});
