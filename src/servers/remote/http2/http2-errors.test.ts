import type { Socket } from 'node:net';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ask,
  flushed,
  frame,
  headersFrame,
  hello,
  ok,
  open,
  options,
  trailers,
  Wire,
} from '../../../../test/support/http2-wire.ts';
import {
  type ErrorName,
  errorCodes,
  flags,
  frameTypes,
  numberFrame,
  pingFrame,
  settingIds,
  settingsFrame,
} from './frames.ts';
import { Http2Session } from './http2-session.ts';
import type { StreamEnd } from './http2-stream.ts';
import { ReadBuffer } from './read-buffer.ts';

describe('a server that violates HTTP/2', () => {
  it('disconnects a server that sends pings without reading the responses', () => {
    const { wire, receive, session } = open();
    wire.writableLength = 1;
    for (let count = 0; count < 10_000; count++) receive(pingFrame(Buffer.alloc(8), false));
    expect(session.isClosed).toBe(false);
    receive(pingFrame(Buffer.alloc(8), false));
    expect(session.error?.message).toBe('The server sends pings or settings without reading the responses.');
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
    const { received } = ask({ session });
    receive(...frames);
    await flushed();
    const good = Buffer.alloc(8);
    good.writeUInt32BE(errorCodes[code], 4);
    expect(sent().at(-1)).toEqual({ type: 'GOAWAY', bits: 0, stream: 0, payload: good });
    expect(received.at(-1)).toEqual({ broken: session.error });
    expect(session.isClosed).toBe(true);
  });

  it('requires the settings first', () => {
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
    const [broken, other] = [ask({ session }), ask({ session })];
    receive(ok(1), ok(3), wrong, trailers(3));
    await flushed();
    expect(broken.received).toEqual([{ ':status': '200' }, { reset: errorCodes[code] }]);
    expect(sent().at(-1)).toMatchObject({ type: 'RST_STREAM', stream: 1 });
    expect(other.received.at(-1)).toBe('complete');
    expect(session.isUsable).toBe(true);
  });

  it('survives any bytes: every request ends at most once, and once when the connection ends', () => {
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
        for (const { received } of requests) {
          const ends = received.filter((each) => isEnd(each as StreamEnd));
          expect(ends).toHaveLength(1);
          expect(received.at(-1)).toBe(ends[0]);
        }
      }),
      { numRuns: 2_000, seed: 7 },
    );
  });
});

function isEnd(received: StreamEnd): boolean {
  return received === 'complete' || (typeof received === 'object' && ('reset' in received || 'broken' in received));
}

function endless(): Buffer[] {
  const more = Array.from({ length: 64 }, () => frame(frameTypes.CONTINUATION, 1, ''));
  return [frame(frameTypes.HEADERS, 1, ''), ...more];
}
