import { describe, expect, it } from 'vitest';
import { Turns } from './turns.ts';

/** A work that ends when it is told to. */
function work(name: string, begun: string[]) {
  let end = (): void => undefined;
  const promise = new Promise<string>((resolve) => {
    end = () => resolve(name);
  });
  const begin = () => {
    begun.push(name);
    return promise;
  };
  return { begin, end };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('turns', () => {
  it('are taken by so many at a time, in order', async () => {
    const turns = new Turns(2);
    const begun: string[] = [];
    const works = ['a', 'b', 'c', 'd'].map((name) => work(name, begun));
    const results = works.map(({ begin }) => turns.take(begin));
    await settled();
    expect(begun).toEqual(['a', 'b']);
    works[1]?.end();
    await settled();
    expect(begun).toEqual(['a', 'b', 'c']);
    for (const { end } of works) end();
    expect(await Promise.all(results)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('go on after a work that failed', async () => {
    const turns = new Turns(1);
    await expect(turns.take(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await turns.take(async () => 'fine')).toBe('fine');
  });

  it('are not waited for by those who left', async () => {
    const turns = new Turns(1);
    const begun: string[] = [];
    const [first, left, last] = [work('first', begun), work('left', begun), work('last', begun)] as const;
    const controller = new AbortController();
    const one = turns.take(first.begin);
    const two = turns.take(left.begin, controller.signal);
    const three = turns.take(last.begin);
    controller.abort();
    await expect(two).rejects.toMatchObject({ code: 'client_closed_request' });
    first.end();
    last.end();
    expect(await Promise.all([one, three])).toEqual(['first', 'last']);
    expect(begun).toEqual(['first', 'last']);
  });
});
