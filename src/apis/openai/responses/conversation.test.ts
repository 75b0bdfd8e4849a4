import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../errors.ts';
import { parseRequest } from '../../../requests/fields.ts';
import { conversationOf, itemOf, referencesOf, storedInput } from './conversation.ts';
import { itemId, newResponseId, responseOfItem } from './item-ids.ts';
import { ResponsesRequest } from './responses-request.ts';
import { withoutOldest, withTruncation } from './truncation.ts';

const requestOf = (input: unknown) => parseRequest(ResponsesRequest, { model: 'toy', input }).request;
const id = `resp_${'a'.repeat(32)}`;

describe('the stored input', () => {
  it('is the items with ids, and texts as parts', () => {
    const request = requestOf([
      { role: 'user', content: 'U' },
      { role: 'assistant', content: 'A' },
      { type: 'function_call', id: 'fc_mine', call_id: 'c', name: 'f', arguments: '{}', status: 'incomplete' },
      { type: 'function_call_output', call_id: 'c', output: 'R' },
      { type: 'reasoning', summary: [] },
    ]);
    const hex = 'a'.repeat(32);
    expect(storedInput(request, { id })).toEqual([
      {
        id: `msg_${hex}i0`,
        type: 'message',
        status: 'completed',
        role: 'user',
        content: [{ type: 'input_text', text: 'U' }],
      },
      {
        id: `msg_${hex}i1`,
        type: 'message',
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'A', annotations: [] }],
      },
      { id: 'fc_mine', type: 'function_call', call_id: 'c', name: 'f', arguments: '{}', status: 'incomplete' },
      { id: `fco_${hex}i3`, type: 'function_call_output', call_id: 'c', output: 'R', status: 'completed' },
      { id: `rs_${hex}i4`, type: 'reasoning', summary: [] },
    ]);
  });

  it('of a text is a message', () => {
    expect(storedInput(requestOf('Hi'), { id })).toEqual([
      {
        id: `msg_${'a'.repeat(32)}i0`,
        type: 'message',
        status: 'completed',
        role: 'user',
        content: [{ type: 'input_text', text: 'Hi' }],
      },
    ]);
  });
});

describe('a reference to an item', () => {
  const earlier = newResponseId();
  const message = {
    id: itemId(earlier, 'message', 'o1'),
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: 'A', annotations: [] }],
  };
  const stored = {
    input: [{ id: itemId(earlier, 'message', 'i0'), type: 'message' }],
    response: { output: [message] },
  };

  it('leads to its response, and from there to the item', () => {
    const request = requestOf([{ type: 'item_reference', id: message.id }]);
    expect(referencesOf(request)).toEqual([{ id: message.id, response: earlier }]);
    const found = itemOf(stored, message.id);
    expect(found).toBe(message);
    if (!found) return;
    expect(storedInput(request, { id, references: new Map([[message.id, found]]) })).toEqual([message]);
    expect(itemOf(stored, itemId(earlier, 'message', 'i0'))).toBe(stored.input[0]);
    expect(itemOf(stored, itemId(earlier, 'message', 'o0'))).toBeUndefined();
  });

  it('that leads nowhere is named', () => {
    const foreign = requestOf([
      { role: 'user', content: 'x' },
      { type: 'item_reference', id: 'msg_1' },
    ]);
    expect(() => referencesOf(foreign)).toThrow('input[1].id: no stored item has the id "msg_1".');
    expect(() => storedInput(foreign, { id })).toThrow('input[1].id: no stored item has the id "msg_1".');
    expect(responseOfItem(`resp_${'a'.repeat(32)}`)).toBeUndefined();
  });
});

describe('a conversation that is too long', () => {
  const request = requestOf([
    { role: 'developer', content: 'S' },
    { role: 'user', content: '1' },
    { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
    { type: 'function_call', call_id: 'b', name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: 'a', output: 'A' },
    { type: 'function_call_output', call_id: 'b', output: 'B' },
    { role: 'assistant', content: '2' },
    { role: 'user', content: '3' },
    { role: 'assistant', content: '4' },
    { role: 'user', content: '5' },
  ]);
  const items = conversationOf(request, { earlier: [], own: storedInput(request, { id }) });
  const at = (...indexes: number[]) => indexes.map((index) => items[index]);

  it.each([
    [1, at(0, 7, 8, 9)],
    [6, at(0, 7, 8, 9)],
    [7, at(0, 9)],
    [100, at(0, 9)],
  ])('loses its oldest turns, but not what the system says: %i', (count, rest) => {
    expect(withoutOldest(items, count)).toEqual(rest);
  });

  it('keeps the calls of the last outputs, and the user message before them', () => {
    expect(withoutOldest(items.slice(0, 6), 100)).toEqual(at(0, 1, 2, 3, 4, 5));
    const loop = [...at(0, 1), ...at(6, 6), ...at(2, 3, 4, 5)] as typeof items;
    expect(withoutOldest(loop, 2)).toEqual([...at(0, 1), ...at(6), ...at(2, 3, 4, 5)]);
    expect(withoutOldest(loop, 100)).toEqual(at(0, 1, 2, 3, 4, 5));
  });

  const tooLong = new ApiError('context_length_exceeded', 'Too long.');

  it('is tried again with less and less', async () => {
    const tried: number[] = [];
    const response = await withTruncation(items, (rest) => {
      tried.push(rest.length);
      return rest.length > 3 ? Promise.reject(tooLong) : Promise.resolve(rest);
    });
    expect(tried).toEqual([10, 4, 2]);
    expect(response).toEqual(at(0, 9));
  });

  it('fails when no more items can be dropped, and for any other error', async () => {
    await expect(withTruncation(items, () => Promise.reject(tooLong))).rejects.toBe(tooLong);
    const other = new ApiError('backend_error', 'No.');
    await expect(withTruncation(items, () => Promise.reject(other))).rejects.toBe(other);
  });
});
