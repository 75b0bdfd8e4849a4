import { describe, expect, it } from 'vitest';
import { parseRequest } from '../../../requests/fields.ts';
import type { StoredItem } from './conversation.ts';
import { ItemPageQuery, itemPage } from './item-page.ts';

const items = ['a', 'b', 'c'].map((id): StoredItem => ({ id, type: 'message', role: 'user', content: id }));
const page = (query: object) => itemPage(items, parseRequest(ItemPageQuery, query).request);
const ids = (query: object) => {
  const { data, ...rest } = page(query);
  return { ...rest, data: data.map(({ id }) => id) };
};

describe('the list of input items', () => {
  it.each([
    [{}, ['c', 'b', 'a'], false],
    [{ order: 'asc', limit: '2' }, ['a', 'b'], true],
    [{ order: 'asc', limit: '2', after: 'b' }, ['c'], false],
    [{ limit: '1', after: 'c' }, ['b'], true],
  ])('for %j is %j', (query, data, more) => {
    expect(ids(query)).toEqual({ object: 'list', data, first_id: data[0], last_id: data.at(-1), has_more: more });
  });

  it('holds the items themselves, or nothing', () => {
    expect(page({ order: 'asc' }).data).toEqual(items);
    expect(ids({ after: 'a' })).toEqual({ object: 'list', data: [], first_id: null, last_id: null, has_more: false });
  });

  it.each([
    [{ limit: '0' }, 'limit: must be at least 1.'],
    [{ limit: '101' }, 'limit: must be at most 100.'],
    [{ order: 'up' }, 'order: must be asc or desc'],
    [{ after: 'x' }, 'after: this response has no input item with the id "x".'],
  ])('refuses %j', (query, message) => {
    expect(() => page(query)).toThrow(message);
  });
});
