import { describe, expect, it } from 'vitest';
import { ToolLists } from './tool-lists.ts';

const listOf = (name: string) => [{ type: 'function', function: { name } }];
const size = JSON.stringify(listOf('a')).length;

describe('ToolLists', () => {
  it('gives equal lists as one object', () => {
    const lists = new ToolLists();
    const first = listOf('a');
    expect(lists.shared(first)).toBe(first);
    expect(lists.shared(listOf('a'))).toBe(first);
    const other = listOf('b');
    expect(lists.shared(other)).toBe(other);
  });

  it('tells lists apart by the order of their fields', () => {
    const lists = new ToolLists();
    lists.shared([{ a: 1, b: 2 }]);
    const other = [{ b: 2, a: 1 }];
    expect(lists.shared(other)).toBe(other);
  });

  it('tells a number that is too large from null', () => {
    const lists = new ToolLists();
    const none = lists.shared([{ default: null }]);
    const large = [{ default: JSON.parse('1e400') as unknown }];
    expect(lists.shared(large)).toBe(large);
    expect(lists.shared([{ default: null }])).toBe(none);
  });

  it('drops the list that was not used for the longest time', () => {
    const lists = new ToolLists(2 * size);
    const [a, b] = [lists.shared(listOf('a')), lists.shared(listOf('b'))];
    expect(lists.shared(listOf('a'))).toBe(a);
    lists.shared(listOf('c'));
    expect(lists.shared(listOf('a'))).toBe(a);
    expect(lists.shared(listOf('b'))).not.toBe(b);
  });

  it('stores no list beyond the limit, and drops none for it', () => {
    const lists = new ToolLists(size);
    const small = lists.shared(listOf('a'));
    const large = listOf('a longer name');
    expect(lists.shared(large)).toBe(large);
    expect(lists.shared(listOf('a longer name'))).not.toBe(large);
    expect(lists.shared(listOf('a'))).toBe(small);
  });
});
