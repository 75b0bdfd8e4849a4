import { describe, expect, it } from 'vitest';
import { readEvents } from './event-reader.ts';

async function read(pieces: readonly Uint8Array[]): Promise<string[]> {
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
  const events: string[] = [];
  for await (const event of readEvents(stream)) events.push(event);
  return events;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('readEvents', () => {
  it.each(['\n', '\r\n', '\r'])('gives the same events however a stream with %j is cut', async (end) => {
    const whole = bytes(['data: {"a":"ä😀"}', '', ': note', 'data:b', 'data: c', '', 'data: [DONE]', '', ''].join(end));
    for (let at = 0; at <= whole.length; at++)
      expect(await read([whole.slice(0, at), whole.slice(at)])).toEqual(['{"a":"ä😀"}', 'b\nc', '[DONE]']);
    expect(await read([...whole].map((byte) => Uint8Array.of(byte)))).toEqual(['{"a":"ä😀"}', 'b\nc', '[DONE]']);
  });

  it('gives no event that was cut off', async () => {
    expect(await read([bytes('data: a\n\ndata: b\n')])).toEqual(['a']);
  });

  it('cancels the stream when the reader stops', async () => {
    let isCancelled = false;
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(bytes('data: a\n\ndata: b\n\n')),
      cancel: () => {
        isCancelled = true;
      },
    });
    for await (const event of readEvents(stream)) {
      expect(event).toBe('a');
      break;
    }
    expect(isCancelled).toBe(true);
  });
});
