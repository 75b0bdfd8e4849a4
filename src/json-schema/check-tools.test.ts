import { describe, expect, it } from 'vitest';
import { bestCost } from '../../test/support/cpu-cost.ts';
import { checkToolSchemas } from './check-tools.ts';

type Parameters = Readonly<Record<string, unknown>>;

const tool = (parameters: Parameters, strict = false) => ({ function: { parameters, strict } });
const check = (tools: readonly ReturnType<typeof tool>[], isGuide = false) =>
  checkToolSchemas(tools, { isBinding: (each) => each.function.strict, isGuide });

describe('the schemas of tools', () => {
  const circle = { $defs: { a: { $ref: '#/$defs/a' } }, properties: { x: { $ref: '#/$defs/a' } } };

  it.each<[Parameters, string, string]>([
    [{ properties: { x: { type: 'any' } } }, '.properties.x.type', 'must be one of'],
    [{ properties: { x: { pattern: '(?i)a' } } }, '.properties.x.pattern', 'is not a valid regular expression.'],
    [{ properties: { x: { $ref: 'https://a.b/c' } } }, '.properties.x.$ref', 'must refer to a schema'],
    [circle, '.properties.x.$ref.$ref', 'must not refer to itself.'],
  ])('that are not binding may have errors: %j', (parameters, path, message) => {
    const param = `tools[1].function.parameters${path}`;
    expect(check([tool({}), tool(parameters)])).toEqual({ unread: [param], canGuide: false });
    expect(() => check([tool({}), tool(parameters, true)])).toThrow(`${param}: ${message}`);
  });

  it('are valid with lookaheads and with references to themselves', () => {
    const tree = { properties: { name: { pattern: '^(?!-).*$' }, children: { items: { $ref: '#' } } } };
    expect(check([tool(tree)])).toEqual({ unread: [], canGuide: true });
  });

  it('are objects', () => {
    expect(() => check([tool({ type: 'string' })])).toThrow('tools[0].function.parameters.type: must be object');
  });

  const text = (length: number) => tool({ description: 'x'.repeat(length) });
  const parts = (count: number) => tool({ anyOf: Array.from({ length: count }, () => ({})) });

  it('have limits of their own, binding or not', () => {
    expect(() => check([text(600_000)])).toThrow('tools[0].function.parameters: is larger than 524288 characters');
    expect(() => check([parts(10_000)])).toThrow('tools[0].function.parameters: has more than 10000 objects');
  });

  it('have limits together', () => {
    expect(check([text(500_000), text(500_000)])).toEqual({ unread: [], canGuide: false });
    expect(() => check(Array.from({ length: 5 }, () => text(500_000)))).toThrow(
      'tools: their schemas have more than 2097152 characters of JSON together. Send fewer tools.',
    );
    expect(() => check(Array.from({ length: 5 }, () => parts(9_000)))).toThrow(
      'tools: their schemas have more than 40000 objects and arrays together. Send fewer tools.',
    );
    expect(() => check([parts(6_000), parts(6_000)], true)).toThrow(
      'tools: their schemas have more than 10000 objects and arrays together, the limit if a call is required. ' +
        'Send fewer tools.',
    );
  });

  it('are read once if they are valid, and every time if not', () => {
    let reads = 0;
    const parameters = {
      get pattern() {
        reads++;
        return reads > 1000 ? '(' : 'a';
      },
    };
    const valid = [tool(parameters)];
    check(valid);
    const firstReads = reads;
    expect([check(valid), reads]).toEqual([{ unread: [], canGuide: true }, firstReads]);
    reads = 1000;
    const invalid = [tool(parameters)];
    const unread = ['tools[0].function.parameters.pattern'];
    for (let round = 0; round < 2; round++) expect(check(invalid)).toEqual({ unread, canGuide: false });
  });

  it('keep their limit for a guide when they were read before', () => {
    const tools = [parts(6_000), parts(6_000)];
    check(tools);
    expect(() => check(tools, true)).toThrow('the limit if a call is required');
  });

  it('of a thousand tools take about as long as their JSON', () => {
    const property = { type: 'string', description: 'x'.repeat(60), pattern: '^[a-z]+$', enum: ['a', 'b'] };
    const properties = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`property${at}`, property]));
    const text = JSON.stringify(Array.from({ length: 1024 }, () => tool({ type: 'object', properties })));
    // Schemas that were read before cost nothing, so each run has new ones.
    const copies = Array.from({ length: 5 }, () => JSON.parse(text) as ReturnType<typeof tool>[]);
    const reference = bestCost(() => JSON.stringify(JSON.parse(text)));
    const results: unknown[] = [];
    const cost = bestCost(() => results.push(check(copies.pop() ?? [])));
    expect(results).toEqual(Array.from({ length: 5 }, () => ({ unread: [], canGuide: false })));
    expect(cost).toBeLessThan(20 * reference);
  });
});
