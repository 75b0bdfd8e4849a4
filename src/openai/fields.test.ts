import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ApiError } from '../errors.ts';
import { parseRequest, refused } from './fields.ts';

const schema = z.object({
  name: z.string(),
  either: z.union([z.string().min(1, 'must not be empty'), z.array(z.string().min(1))], {
    error: 'must be a text or texts',
  }),
  list: z.array(z.object({ size: z.number() })).nullish(),
  never: refused('it is not offered', [false]),
});

function faultOf(body: unknown): object | undefined {
  try {
    parseRequest(schema, body);
    return undefined;
  } catch (error) {
    const { code, param, message } = ApiError.from(error);
    return { code, param, message };
  }
}

describe('parseRequest', () => {
  const fine = { name: 'a', either: 'b' };
  const fault = (param: string | null, message: string, code = 'invalid_request') => ({ code, param, message });

  it.each([
    [[], fault(null, 'The body must be a JSON object.')],
    [null, fault(null, 'The body must be a JSON object.')],
    [{ either: 'b' }, fault('name', 'The field name is required.')],
    [{ name: 'a' }, fault('either', 'The field either is required.')],
    [{ ...fine, either: 5 }, fault('either', 'either: must be a text or texts')],
    [{ ...fine, either: '' }, fault('either', 'either: must not be empty')],
    [{ ...fine, list: [{ size: 1 }, {}] }, fault('list[1].size', expect.stringMatching(/^list\[1]\.size: /))],
    [{ ...fine, either: ['x', 5] }, fault('either[1]', expect.stringMatching(/^either\[1]: /))],
    [{ ...fine, never: true }, fault('never', 'never: it is not offered', 'unsupported_parameter')],
  ])('names the field that is wrong: %j', (body, expected) => {
    expect(faultOf(body)).toEqual(expected);
  });

  it('names the fields that nobody knows, and lets harmless ones pass', () => {
    const { request, unknownFields } = parseRequest(schema, { ...fine, never: false, more: 1, constructor: 2 });
    expect(unknownFields).toEqual(['more', 'constructor']);
    expect(request).toEqual({ ...fine, never: false });
  });
});
