import { describe, expect, it } from 'vitest';
import { LocalResponse } from '../../../kserve/local-response.ts';
import { ResponseQueue } from './response-queue.ts';

const response = (id: string): LocalResponse =>
  new LocalResponse({ model: 'm', version: '1', id, outputs: [], final: false });

function queue() {
  const calls: string[] = [];
  const stream = new ResponseQueue({
    begin: () => calls.push('begin'),
    cancel: () => calls.push('cancel'),
    resume: () => calls.push('resume'),
  });
  return { stream, calls };
}

describe('ResponseQueue', () => {
  it('begins with the first reader and gives all that came meanwhile at once', async () => {
    const { stream, calls } = queue();
    expect(calls).toEqual([]);
    const first = stream.next();
    expect(calls).toEqual(['begin']);
    stream.push(response('a'));
    expect((await first).value).toHaveLength(1);
    stream.push(response('b'));
    stream.push(response('c'));
    stream.end();
    expect((await stream.next()).value).toHaveLength(2);
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    expect(calls).toEqual(['begin']);
  });

  it('tells of a fault after what was there, once', async () => {
    const { stream } = queue();
    const first = stream.next();
    stream.push(response('a'));
    stream.end(new Error('broken'));
    expect((await first).value).toHaveLength(1);
    await expect(stream.next()).rejects.toThrow('broken');
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });

  it('cancels when the reader leaves early, and only then', async () => {
    const { stream, calls } = queue();
    void stream.next();
    await stream.return();
    stream.push(response('a'));
    expect(calls).toEqual(['begin', 'cancel']);
    const ended = queue();
    const waiting = ended.stream.next();
    ended.stream.end();
    await waiting;
    await ended.stream.return();
    expect(ended.calls).toEqual(['begin']);
    const never = queue();
    await never.stream.return();
    expect(never.calls).toEqual([]);
  });

  it('ends with the fault of a reader that gives up, after what is there', async () => {
    const { stream, calls } = queue();
    const waiting = stream.next();
    await stream.throw(new Error('too slow'));
    await expect(waiting).rejects.toThrow('too slow');
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    expect(calls).toEqual(['begin', 'cancel']);
  });

  it('is full at a bound and says when there is room again', async () => {
    const { stream, calls } = queue();
    const first = stream.next();
    for (let index = 0; index < 258; index++) stream.push(response(String(index)));
    expect((await first).value).toHaveLength(1);
    expect(stream.isFull).toBe(true);
    expect((await stream.next()).value).toHaveLength(257);
    expect(stream.isFull).toBe(false);
    expect(calls).toEqual(['begin', 'resume']);
  });
});
