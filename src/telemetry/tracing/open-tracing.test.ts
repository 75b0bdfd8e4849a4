import { expect, it } from 'vitest';
import { openTracing } from './open-tracing.ts';
import type { Delivery } from './otlp-exporter.ts';

it('reports the outcome of every span, also of those that do not fit in the queue while the collector hangs', async () => {
  let sent = 0;
  const lost = new Map<string, number>();
  let isAwake = false;
  const hanging: ((delivery: Delivery) => void)[] = [];
  const tracing = openTracing({
    transport: {
      send: () =>
        new Promise((resolve) => {
          if (isAwake) resolve({ outcome: 'accepted' });
          else hanging.push(resolve);
        }),
      close: async () => undefined,
    },
    isJson: true,
    timeout: 60_000,
    resource: {},
    version: '1',
    sampler: { kind: 'always_on', isParentBased: false, ratio: 1 },
    batch: { delay: 60_000, queue: 20, size: 10, timeout: 60_000 },
    onSent: (spans) => (sent += spans),
    onLost: (spans, reason) => lost.set(reason, (lost.get(reason) ?? 0) + spans),
  });
  const facts = { method: 'GET', path: '/', route: '/', headers: {} };
  for (let count = 0; count < 100; count++)
    tracing
      .begin(facts)
      .end({ status: 200, code: undefined, hasDisconnected: false, key: undefined, route: '/' } as never);
  // Ten are on their way and twenty wait.
  expect(lost).toEqual(new Map([['its queue is full', 70]]));
  isAwake = true;
  for (const respond of hanging) respond({ outcome: 'accepted' });
  await tracing.close();
  expect(sent).toBe(30);
});
