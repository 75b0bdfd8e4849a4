import { describe, expect, it } from 'vitest';
import { type Delivery, OtlpExporter, type SpanTransport } from './otlp-exporter.ts';

const accepted: Delivery = { outcome: 'accepted' };
const busy: Delivery = { outcome: 'refused', reason: 'busy', isTemporary: true, retryIn: 0 };
const wrong: Delivery = { outcome: 'refused', reason: 'wrong', isTemporary: false };

/** Exports two spans to a transport that answers so, and tells what became of them. */
async function exported(responses: readonly (Delivery | Error)[]): Promise<{ outcome: unknown[]; attempts: number }> {
  const outcome: unknown[] = [];
  let attempts = 0;
  const transport: SpanTransport = {
    send: async () => {
      const response = responses[Math.min(attempts++, responses.length - 1)] ?? accepted;
      if (response instanceof Error) throw response;
      return response;
    },
    close: async () => undefined,
  };
  const exporter = new OtlpExporter({
    transport,
    serialize: () => Buffer.from('spans'),
    timeout: 1_000,
    firstBackoff: 1,
    onSent: (spans) => outcome.push(['sent', spans]),
    onLost: (spans, reason) => outcome.push(['lost', spans, reason]),
  });
  await new Promise<void>((resolve) => exporter.export([{}, {}] as never, () => resolve()));
  return { outcome, attempts };
}

describe('OtlpExporter', () => {
  it('sends once what is taken', async () => {
    expect(await exported([accepted])).toEqual({ outcome: [['sent', 2]], attempts: 1 });
  });

  it('tries again what a collector cannot take now', async () => {
    const broken = new Error('fetch failed', { cause: new Error('refused') });
    expect(await exported([busy, broken, accepted])).toEqual({ outcome: [['sent', 2]], attempts: 3 });
  });

  it('gives up after five tries, with the reason', async () => {
    expect(await exported([busy])).toEqual({ outcome: [['lost', 2, 'busy']], attempts: 5 });
  });

  it('does not try again what will never be taken', async () => {
    expect(await exported([wrong])).toEqual({ outcome: [['lost', 2, 'wrong']], attempts: 1 });
  });

  it('breaks off when the process ends', async () => {
    const lost: string[] = [];
    let start = (): void => undefined;
    const sending = new Promise<void>((resolve) => {
      start = resolve;
    });
    const exporter = new OtlpExporter({
      transport: {
        send: (_body, signal) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(new Error('stopped')));
            start();
          }),
        close: async () => undefined,
      },
      serialize: () => Buffer.from('spans'),
      timeout: 60_000,
      onSent: () => undefined,
      onLost: (_spans, reason) => lost.push(reason),
    });
    const done = new Promise<void>((resolve) => exporter.export([{}] as never, () => resolve()));
    await sending;
    await exporter.shutdown();
    await done;
    expect(lost).toEqual(['stopped']);
  });
});
