import { describe, expect, it } from 'vitest';
import { ActiveList } from './active-list.ts';

describe('ActiveList', () => {
  it('gives its members in the order in which they came', () => {
    const list = new ActiveList<string>();
    list.add('a');
    const b = list.add('b');
    list.add('c');
    list.remove(b);
    list.add('b');
    expect([[...list], list.size]).toEqual([['a', 'c', 'b'], 3]);
  });

  it('lets a member leave once', () => {
    const list = new ActiveList<string>();
    const only = list.add('only');
    expect([list.remove(only), list.remove(only), list.size, [...list]]).toEqual([true, false, 0, []]);
  });

  it('can be left by its members while they are gone through', () => {
    const list = new ActiveList<{ leave(): void }>();
    const closed: number[] = [];
    for (const number of [1, 2, 3]) {
      const entry = list.add({
        leave: () => {
          closed.push(number);
          list.remove(entry);
        },
      });
    }
    for (const member of list) member.leave();
    expect([closed, list.size]).toEqual([[1, 2, 3], 0]);
  });
});
