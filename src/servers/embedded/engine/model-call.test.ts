import { describe, expect, it } from 'vitest';
import { LocalResponse } from '../../../kserve/local-response.ts';
import type { CallOptions } from '../../../kserve/server.ts';
import { ModelCall } from './model-call.ts';

const response = (id: string): LocalResponse =>
  new LocalResponse({ model: 'm', version: '1', id, outputs: [], final: false });
const nextTurn = () => new Promise(setImmediate);

function called(begin: () => Promise<void> = async () => undefined, options: CallOptions = {}) {
  const heard: unknown[] = [];
  const call = new ModelCall(
    { begin, wake: () => heard.push('wake'), ...options },
    { response: ({ id }) => heard.push(id), end: (error) => heard.push(['end', error]) },
  ).start();
  const generation = { isOver: false, cancel: (fault?: unknown) => heard.push(['cancel', fault]) };
  return { call, heard, generation };
}

describe('a call to a model', () => {
  it('gives responses as they are made, and its end once', () => {
    const { call, heard } = called();
    call.push(response('a'));
    call.push(response('b'));
    call.end();
    call.end(new Error('late'));
    call.push(response('c'));
    expect(heard).toEqual(['a', 'b', ['end', undefined]]);
  });

  it('tells what is wrong with the request', async () => {
    const fault = new Error('wrong');
    const { heard } = called(() => Promise.reject(fault));
    expect(heard).toEqual([]);
    await nextTurn();
    expect(heard).toEqual([['end', fault]]);
  });

  it('has its generation wait while it is paused', () => {
    const { call, heard } = called();
    expect(call.isPaused).toBe(false);
    call.pause();
    expect(call.isPaused).toBe(true);
    call.resume();
    call.resume();
    expect([call.isPaused, heard]).toEqual([false, ['wake']]);
  });

  it('cancels its generation, in silence or with an error', () => {
    const quiet = called();
    quiet.call.attach(quiet.generation);
    quiet.call.cancel();
    quiet.call.push(response('a'));
    expect(quiet.heard).toEqual([['cancel', undefined], 'wake']);
    const failing = called();
    failing.call.attach(failing.generation);
    failing.call.cancel('slow');
    expect(failing.heard).toEqual([['end', 'slow'], ['cancel', 'slow'], 'wake']);
  });

  it('cancels a generation that is made after it was cancelled', () => {
    const { call, heard, generation } = called();
    call.cancel();
    call.attach(generation);
    expect(heard).toEqual(['wake', ['cancel', undefined], 'wake']);
  });

  it('ends when its signal aborts, also before it begins', async () => {
    const stop = new AbortController();
    const { heard } = called(undefined, { signal: stop.signal });
    stop.abort();
    const late = called(() => Promise.reject(new Error('begun')), { signal: stop.signal });
    await nextTurn();
    expect([heard[0], late.heard]).toMatchObject([['end', { code: 'CANCELLED' }], [['end', { code: 'CANCELLED' }]]]);
  });
});
