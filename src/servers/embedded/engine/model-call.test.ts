import { describe, expect, it } from 'vitest';
import { LocalResponse } from '../../../kserve/local-response.ts';
import type { CallOptions } from '../../../kserve/server.ts';
import { ModelCall } from './model-call.ts';

const response = (id: string): LocalResponse =>
  new LocalResponse({ model: 'm', version: '1', id, outputs: [], final: false });
const nextTurn = () => new Promise(setImmediate);

function called(begin: () => Promise<void> = async () => undefined, options: CallOptions = {}) {
  const received: unknown[] = [];
  const call = new ModelCall(
    { begin, wake: () => received.push('wake'), ...options },
    { response: ({ id }) => received.push(id), end: (error) => received.push(['end', error]) },
  ).start();
  const generation = { isOver: false, cancel: (error?: unknown) => received.push(['cancel', error]) };
  return { call, received, generation };
}

describe('a call to a model', () => {
  it('gives responses as they are made, and its end once', () => {
    const { call, received } = called();
    call.push(response('a'));
    call.push(response('b'));
    call.end();
    call.end(new Error('late'));
    call.push(response('c'));
    expect(received).toEqual(['a', 'b', ['end', undefined]]);
  });

  it('tells what is wrong with the request', async () => {
    const error = new Error('wrong');
    const { received } = called(() => Promise.reject(error));
    expect(received).toEqual([]);
    await nextTurn();
    expect(received).toEqual([['end', error]]);
  });

  it('has its generation wait while it is paused', () => {
    const { call, received } = called();
    expect(call.isPaused).toBe(false);
    call.pause();
    expect(call.isPaused).toBe(true);
    call.resume();
    call.resume();
    expect([call.isPaused, received]).toEqual([false, ['wake']]);
  });

  it('cancels its generation, in silence or with an error', () => {
    const quiet = called();
    quiet.call.attach(quiet.generation);
    quiet.call.cancel();
    quiet.call.push(response('a'));
    expect(quiet.received).toEqual([['cancel', undefined], 'wake']);
    const failing = called();
    failing.call.attach(failing.generation);
    failing.call.cancel('slow');
    expect(failing.received).toEqual([['end', 'slow'], ['cancel', 'slow'], 'wake']);
  });

  it('cancels a generation that is made after it was cancelled', () => {
    const { call, received, generation } = called();
    call.cancel();
    call.attach(generation);
    expect(received).toEqual(['wake', ['cancel', undefined], 'wake']);
  });

  it('ends when its signal aborts, also before it begins', async () => {
    const stop = new AbortController();
    const { received } = called(undefined, { signal: stop.signal });
    stop.abort();
    const late = called(() => Promise.reject(new Error('begun')), { signal: stop.signal });
    await nextTurn();
    expect([received[0], late.received]).toMatchObject([
      ['end', { code: 'CANCELLED' }],
      [['end', { code: 'CANCELLED' }]],
    ]);
  });
});
