import { describe, expect, it } from 'vitest';
import { anySignal, Cancellation } from './signal.ts';

describe('Cancellation', () => {
  it('tells each listener once, with the reason, and those that left nothing', () => {
    const cancellation = new Cancellation();
    const received: string[] = [];
    const twice = (): void => void received.push('twice');
    const closed = (): void => void received.push('gone');
    for (const listener of [twice, closed, twice]) cancellation.addEventListener('abort', listener);
    cancellation.removeEventListener('abort', closed);
    cancellation.throwIfAborted();
    expect([cancellation.aborted, cancellation.reason]).toEqual([false, undefined]);
    cancellation.abort('first');
    cancellation.abort('second');
    cancellation.addEventListener('abort', twice);
    expect([cancellation.aborted, cancellation.reason, received]).toEqual([true, 'first', ['twice']]);
    expect(() => cancellation.throwIfAborted()).toThrow('first');
  });

  it('does not call a listener that an earlier one removes', () => {
    const cancellation = new Cancellation();
    const received: string[] = [];
    const later = (): void => void received.push('later');
    cancellation.addEventListener('abort', () => cancellation.removeEventListener('abort', later));
    cancellation.addEventListener('abort', later);
    cancellation.addEventListener('abort', () => received.push('last'));
    cancellation.abort();
    expect(received).toEqual(['last']);
  });

  it('has an AbortError for a reason where none is given', () => {
    const cancellation = new Cancellation();
    cancellation.abort();
    expect(cancellation.reason).toMatchObject({ name: 'AbortError' });
  });

  it('tells the other listeners where one throws', async () => {
    const cancellation = new Cancellation();
    const thrown = new Promise((resolve) => process.once('uncaughtException', resolve));
    const received: string[] = [];
    cancellation.addEventListener('abort', () => {
      throw new Error('broken');
    });
    cancellation.addEventListener('abort', () => received.push('other'));
    const others = process.listeners('uncaughtException').slice(0, -1);
    for (const other of others) process.off('uncaughtException', other);
    cancellation.abort();
    expect([received, await thrown]).toMatchObject([['other'], { message: 'broken' }]);
    for (const other of others) process.on('uncaughtException', other);
  });
});

describe('anySignal', () => {
  it.each([0, 1])('aborts with the signal number %i', (number) => {
    const sources = [new Cancellation(), new AbortController()] as const;
    const any = anySignal(sources[0], sources[1].signal);
    expect(any.aborted).toBe(false);
    sources[number]?.abort('enough');
    expect([any.aborted, any.reason]).toEqual([true, 'enough']);
  });

  it('is aborted where one of them was', () => {
    const cancellation = new Cancellation();
    cancellation.abort('before');
    expect(anySignal(cancellation).reason).toBe('before');
  });
});
