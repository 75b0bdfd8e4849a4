import { describe, expect, it } from 'vitest';
import { modelPage } from './models.ts';

const entries = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id }));

describe('a page of models', () => {
  it.each([
    [{ limit: 20 }, ['a', 'b', 'c', 'd', 'e'], false],
    [{ limit: 2 }, ['a', 'b'], true],
    [{ limit: 2, after_id: 'b' }, ['c', 'd'], true],
    [{ limit: 2, after_id: 'd' }, ['e'], false],
    [{ limit: 2, after_id: 'e' }, [], false],
    [{ limit: 2, before_id: 'd' }, ['b', 'c'], true],
    [{ limit: 2, before_id: 'c' }, ['a', 'b'], false],
    [{ limit: 2, before_id: 'a' }, [], false],
    [{ limit: 9, after_id: 'a', before_id: 'd' }, ['b', 'c'], false],
  ])('of %j', (query, ids, has_more) => {
    const data = ids.map((id) => ({ id }));
    expect(modelPage(entries, query)).toEqual({
      data,
      has_more,
      first_id: ids[0] ?? null,
      last_id: ids.at(-1) ?? null,
    });
  });

  it.each(['after_id', 'before_id'])('needs a model in %s', (param) => {
    expect(() => modelPage(entries, { limit: 2, [param]: 'x' })).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        param,
        message: `${param}: no model in the list has the id "x".`,
      }),
    );
  });
});
