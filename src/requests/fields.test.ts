import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ApiError } from '../errors.ts';
import { ignoredField, list, parseRequest, unsupportedField } from './fields.ts';
import { reportUnknown, withIgnoredParts, withIgnoredValues } from './ignored-fields.ts';

const schema = z.object({
  name: z.string(),
  either: z.union([z.string().min(1, 'must not be empty'), z.array(z.string().min(1))], {
    error: 'must be a string or strings',
  }),
  list: z.array(z.object({ size: z.number() })).nullish(),
  never: unsupportedField('it is not supported', [false]),
});

function errorOf(body: unknown): object | undefined {
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
  const fail = (param: string | null, message: string, code = 'invalid_request') => ({ code, param, message });

  it('keeps to the fields that a body has, and fills in those that have a default', () => {
    const filled = z.object({ name: z.string(), size: z.number().nullish(), colour: z.string().default('red') });
    for (const body of [{ name: 'a' }, { other: 1, name: 'a' }, { size: 1, name: 'a' }, { colour: 'blue', name: 'a' }])
      expect(parseRequest(filled, body).request).toEqual(filled.parse(body));
    expect(parseRequest(filled, { other: 1, name: 'a' }).ignoredFields).toEqual(['other']);
  });

  it('finds the same with every set of fields, however many there are', () => {
    const names = Array.from({ length: 300 }, (_, at) => `field${at}`);
    const wide = z.object(Object.fromEntries(names.map((name) => [name, z.number().nullish()])));
    for (const name of names) expect(parseRequest(wide, { [name]: 1 }).request).toEqual({ [name]: 1 });
    expect(() => parseRequest(wide, { field299: 'a' })).toThrow('field299: must be a number.');
  });

  it.each([
    [[], fail(null, 'The request body must be a JSON object.')],
    [null, fail(null, 'The request body must be a JSON object.')],
    [{ either: 'b' }, fail('name', 'The field name is required.')],
    [{ name: 'a' }, fail('either', 'The field either is required.')],
    [{ ...fine, either: 5 }, fail('either', 'either: must be a string or strings.')],
    [{ ...fine, either: '' }, fail('either', 'either: must not be empty.')],
    [{ ...fine, list: [{ size: 1 }, {}] }, fail('list[1].size', expect.stringMatching(/^list\[1]\.size: /))],
    [{ ...fine, either: ['x', 5] }, fail('either[1]', expect.stringMatching(/^either\[1]: /))],
    [{ ...fine, never: true }, fail('never', 'never: it is not supported.', 'unsupported_parameter')],
  ])('names the field that is wrong: %j', (body, expected) => {
    expect(errorOf(body)).toEqual(expected);
  });

  it('names the unknown fields, and lets harmless ones pass', () => {
    const { request, ignoredFields } = parseRequest(schema, { ...fine, never: false, more: 1, constructor: 2 });
    expect(ignoredFields).toEqual(['more', 'constructor']);
    expect(request).toEqual({ ...fine, never: false });
  });
});

describe('hints without effect', () => {
  const hint = ignoredField('the backend has no verbosity', ['medium']);
  const schema = z.object({
    verbosity: hint,
    text: z.object({ verbosity: hint }).nullish(),
    tools: list(z.unknown().pipe(z.looseObject({ name: z.string(), verbosity: hint })), { most: 5 }).nullish(),
  });

  it('are accepted, named with their paths, and rejected by --strict-fields with the reason', () => {
    const tools = [{ name: 'a' }, { name: 'b', verbosity: { level: 1 } }];
    const body = { tools, text: { verbosity: 'low' } };
    expect(parseRequest(schema, body)).toEqual({
      request: body,
      ignoredFields: ['text.verbosity', 'tools[1].verbosity'],
      strictError: new ApiError('unsupported_parameter', 'text.verbosity: the backend has no verbosity.', {
        param: 'text.verbosity',
      }),
    });
  });

  it('are not named where they are left out, null or harmless', () => {
    for (const body of [{}, { verbosity: null }, { verbosity: 'medium', text: null, tools: [] }])
      expect(parseRequest(schema, body)).toEqual({ request: body, ignoredFields: [] });
  });

  it('may be some of the values of a schema, each kind with its own check', () => {
    const item = withIgnoredValues({
      schema: z.object({ name: z.string(), verbosity: hint }),
      ignored: z.object({ hosted: z.string() }),
      isIgnored: (value) => typeof value === 'object' && value !== null && 'hosted' in value,
      reason: 'hosted tools are not supported',
    });
    const partly = z.object({ tools: list(item, { most: 5 }) });
    const tools = [{ name: 'a', verbosity: 'low' }, { hosted: 'b' }, { name: 'c' }];
    expect(parseRequest(partly, { tools })).toEqual({
      request: { tools },
      ignoredFields: ['tools[1]', 'tools[0].verbosity'],
      strictError: new ApiError('unsupported_parameter', 'tools[1]: hosted tools are not supported.', {
        param: 'tools[1]',
      }),
    });
    const errorOf = (value: object) => {
      try {
        return parseRequest(partly, { tools: [value] });
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(errorOf({})).toBe('tools[0].name: is required.');
    expect(errorOf({ hosted: 1 })).toBe('tools[0].hosted: must be a string, not 1.');
  });

  it('come after unknown fields', () => {
    const { ignoredFields, strictError } = parseRequest(schema, { verbosity: 'low', more: 1 });
    expect([ignoredFields, strictError?.message]).toEqual([['more', 'verbosity'], 'more: unknown field. Remove it.']);
  });
});

describe('reportUnknown', () => {
  const item = reportUnknown(z.object({ name: z.string(), hint: ignoredField('it has no effect') }));
  const marked = withIgnoredParts(item, (value) =>
    (value as { name: string }).name === 'b' ? [{ path: '.name', reason: 'b has no effect' }] : [],
  );
  const schema = z.object({ items: list(marked, { most: 5 }), one: item.optional() });

  it('names unknown fields besides the hints of an object', () => {
    const items = [{ name: 'a' }, { name: 'b', more: 1, hint: 2 }];
    expect(parseRequest(schema, { items, one: { name: 'a', other: null } })).toEqual({
      request: { items: [{ name: 'a' }, { name: 'b', hint: 2 }], one: { name: 'a' } },
      ignoredFields: ['items[1].more', 'items[1].name', 'items[1].hint', 'one.other'],
      strictError: new ApiError('unknown_field', 'items[1].more: unknown field. Remove it.', {
        param: 'items[1].more',
      }),
    });
  });
});

describe('the words of an error', () => {
  const schema = z.object({
    text: z.string().min(2).optional(),
    count: z.number().int().min(1).max(5).optional(),
    flag: z.boolean().optional(),
    list: z
      .array(z.object({ name: z.string() }))
      .max(1)
      .optional(),
    mode: z.enum(['low', 'high']).optional(),
    options: z.strictObject({ name: z.string().min(1).optional() }).optional(),
    bias: z.record(z.string().regex(/^\d+$/, 'keys must be token ids'), z.number()).optional(),
  });
  const fail = (body: object): string => {
    try {
      parseRequest(schema, body);
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  };

  it.each([
    [{ text: 5 }, 'text: must be a string, not 5.'],
    [{ text: 'x' }, 'text: must have at least 2 characters.'],
    [{ count: 1.5 }, 'count: must be an integer, not 1.5.'],
    [{ count: 0 }, 'count: must be at least 1, not 0.'],
    [{ count: 6 }, 'count: must be at most 5, not 6.'],
    [{ flag: 1 }, 'flag: must be true or false, not 1.'],
    [{ list: {} }, 'list: must be an array.'],
    [{ list: [{}] }, 'list[0].name: is required.'],
    [{ list: [{ name: 'a' }, { name: 'b' }] }, 'list: must have at most 1 entry.'],
    [{ mode: 'secret' }, 'mode: must be low or high.'],
    [{ options: { name: '' } }, 'options.name: must not be empty.'],
    [{ options: { colour: 1 } }, 'options: unknown field "colour"; remove it.'],
    [{ bias: { x: 1 } }, 'bias.x: keys must be token ids.'],
  ])('of %j are: %s', (body, message) => {
    expect(fail(body)).toBe(message);
  });
});
