import { describe, expect, it } from 'vitest';
import type { ModelIndexEntry } from '../../kserve/messages.ts';
import type { InferenceServer } from '../../kserve/server.ts';
import { ServerIndex } from './server-index.ts';

/** An index whose server is answered for by the test. */
function requested() {
  const responses: ((state: string | Error) => void)[] = [];
  const call = () =>
    new Promise<{ models: ModelIndexEntry[] }>((resolve, reject) => {
      responses.push((state) => {
        if (state instanceof Error) reject(state);
        else resolve({ models: [{ name: 'm', version: '1', state, reason: '' }] });
      });
    });
  return { responses, index: new ServerIndex({ call } as unknown as InferenceServer) };
}

describe('ServerIndex', () => {
  it('asks once for all who wait, and not again for a while', async () => {
    const { responses, index } = requested();
    const waits = [index.refresh(), index.refresh()];
    responses[0]?.('READY');
    await Promise.all(waits);
    await index.refresh();
    expect([responses.length, index.rows[0]?.state]).toEqual([1, 'READY']);
  });

  it('ignores a response to a call from before it was told to forget', async () => {
    const { responses, index } = requested();
    const old = index.refresh();
    index.forget();
    const fresh = index.refresh();
    responses[1]?.('READY');
    await fresh;
    responses[0]?.('LOADING');
    await old;
    expect(index.rows[0]?.state).toBe('READY');
  });

  it('keeps what it knows when the server fails, and says so', async () => {
    const { responses, index } = requested();
    const first = index.refresh();
    responses[0]?.('READY');
    await first;
    index.forget();
    const second = index.refresh();
    responses[1]?.(new Error('down'));
    await second;
    expect([index.isSilent, index.rows.length]).toEqual([true, 1]);
  });
});
