import { expect, it } from 'vitest';
import { parseRequest } from './fields.ts';
import { ScoreRequest, sidesOf } from './score-request.ts';

const read = (body: object) => sidesOf(parseRequest(ScoreRequest, { model: 'm', ...body }).request);

it.each([
  ['text_1', 'text_2'],
  ['queries', 'documents'],
  ['queries', 'items'],
  ['data_1', 'data_2'],
])('reads the two sides from %s and %s', (first, second) => {
  expect(read({ [first]: 'a', [second]: ['b', 'c'], ...(first === 'text_1' ? {} : { text_1: null }) })).toEqual({
    first: { field: first, texts: ['a'], isList: false },
    second: { field: second, texts: ['b', 'c'], isList: true },
  });
  expect(read({ [first]: ['a', 'b'], [second]: ['c', 'd'] })).toEqual({
    first: { field: first, texts: ['a', 'b'], isList: true },
    second: { field: second, texts: ['c', 'd'], isList: true },
  });
});

const pairs =
  'send exactly one of these pairs: text_1 and text_2, queries and documents, queries and items, data_1 and data_2.';

it.each([
  [{}, 'text_1', `text_1: ${pairs}`],
  [{ data_2: 'a' }, 'data_2', `data_2: ${pairs}`],
  [{ queries: 'a', documents: 'b', items: 'c' }, 'queries', `queries: ${pairs}`],
  [{ data_1: ['a', 'b'], data_2: 'c' }, 'data_1', 'data_1: must have 1 entry, or as many as data_2 (1), not 2.'],
  [{ text_1: [], text_2: 'c' }, 'text_1', 'text_1: must have at least 1 entry.'],
  [{ text_1: 'a', text_2: ['b', ''] }, 'text_2[1]', 'text_2[1]: must not be empty.'],
  [{ text_1: 'a', text_2: { text: 'b' } }, 'text_2', 'text_2: must be a string or an array of strings.'],
])('refuses %j', (body, param, message) => {
  expect(() => read(body)).toThrow(expect.objectContaining({ code: 'invalid_request', param, message }));
});
