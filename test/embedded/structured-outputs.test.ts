import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EmbeddedServer } from '../../src/servers/embedded/embedded-server.ts';
import { ask, chat, modelName, startEmbedded } from './support.ts';

describe('structured outputs', () => {
  let server: EmbeddedServer;

  beforeAll(async () => {
    server = await startEmbedded();
  });

  afterAll(() => server.close());

  async function constrained(option: object, prompt: string, seed = 1): Promise<string> {
    const sampling = { max_tokens: 300, temperature: 1, seed, structured_outputs: JSON.stringify(option) };
    const { text, finish } = await ask(server, { prompt: chat(prompt), sampling });
    expect(finish).toBe('stop');
    return text;
  }

  it('obeys a JSON schema with nested objects, enums, bounded lists, texts and numbers, whatever the seed', async () => {
    const schema = {
      type: 'object',
      properties: {
        name: { type: 'string', minLength: 2, maxLength: 20 },
        kind: { enum: ['cat', 'dog', 'fox'] },
        age: { type: 'integer', minimum: 0, maximum: 30 },
        weight: { type: 'number', minimum: 0.5, maximum: 99 },
        home: {
          type: 'object',
          properties: { town: { type: 'string', maxLength: 12 }, since: { type: 'string', format: 'date' } },
          required: ['town', 'since'],
          additionalProperties: false,
        },
        toys: { type: 'array', items: { type: 'string', pattern: '^[a-z]{3,8}$' }, minItems: 1, maxItems: 3 },
        note: { anyOf: [{ type: 'null' }, { type: 'string', maxLength: 10 }] },
      },
      required: ['name', 'kind', 'age', 'home', 'toys', 'note'],
      additionalProperties: false,
    };
    const seeds = Array.from({ length: 8 }, (_, seed) => seed);
    const texts = await Promise.all(
      seeds.map((seed) => constrained({ json: schema }, 'Describe a pet as JSON.', seed)),
    );
    for (const text of texts) {
      const value = JSON.parse(text);
      expect(value.name.length).toBeGreaterThanOrEqual(2);
      expect([...value.name].length).toBeLessThanOrEqual(20);
      expect(['cat', 'dog', 'fox']).toContain(value.kind);
      expect(Number.isInteger(value.age) && value.age >= 0 && value.age <= 30).toBe(true);
      expect(!('weight' in value) || (value.weight >= 0.5 && value.weight <= 99)).toBe(true);
      expect(value.home.since).toMatch(/^\d{4}-\d\d-\d\d$/);
      expect(Object.keys(value.home)).toEqual(['town', 'since']);
      expect(value.toys.length).toBeGreaterThanOrEqual(1);
      expect(value.toys.length).toBeLessThanOrEqual(3);
      for (const toy of value.toys) expect(toy).toMatch(/^[a-z]{3,8}$/);
      expect(value.note === null || value.note.length <= 10).toBe(true);
    }
  });

  it('obeys a recursive schema', async () => {
    const schema = {
      $defs: {
        node: {
          type: 'object',
          properties: {
            v: { type: 'integer', minimum: 1, maximum: 9 },
            next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] },
          },
          required: ['v', 'next'],
        },
      },
      $ref: '#/$defs/node',
    };
    // Left to itself the little model nests without end.
    const [end] = await server.tokenizerOf(modelName).encode('null', { addSpecialTokens: false });
    const sampling = {
      max_tokens: 60,
      temperature: 0,
      logit_bias: { [String(end)]: 30 },
      structured_outputs: JSON.stringify({ json: schema }),
    };
    const { text, finish } = await ask(server, { prompt: chat('A number as JSON.'), sampling });
    expect(finish).toBe('stop');
    expect(JSON.parse(text)).toEqual({ v: expect.any(Number), next: null });
  });

  it('obeys a choice, a regular expression, a grammar and json_object', async () => {
    expect(['red', 'green', 'blue']).toContain(
      await constrained({ choice: ['red', 'green', 'blue'] }, 'The colour of grass?'),
    );
    expect(await constrained({ regex: '\\d{3}-[A-F]{2}(x|yy)?' }, 'A serial number?')).toMatch(
      /^\d{3}-[A-F]{2}(x|yy)?$/,
    );
    expect(await constrained({ grammar: 'root ::= ("ja" | "nein") "!"' }, 'Do you speak German?')).toMatch(
      /^(ja|nein)!$/,
    );
    const sampling = { max_tokens: 200, temperature: 0, structured_outputs: '{"json_object": true}' };
    const { text, finish } = await ask(server, { prompt: chat('Give me {"a": 1} back.'), sampling });
    expect(text.startsWith('{')).toBe(true);
    expect(finish === 'length' || typeof JSON.parse(text) === 'object').toBe(true);
  });

  it('gives logprobs beside a grammar', async () => {
    const sampling = { max_tokens: 20, temperature: 0, logprobs: 2, structured_outputs: '{"choice": ["banana"]}' };
    const { text, responses } = await ask(server, { prompt: chat('The capital of France?'), sampling });
    expect(text).toBe('banana');
    expect(JSON.parse(responses[0]?.text('logprobs') ?? '')).toHaveLength(1);
  });

  it.each([
    ['{nope', /structured_outputs: must be valid JSON/],
    [
      '{"json": {"type": "object", "patternProperties": {}}}',
      /json\.patternProperties: the keyword patternProperties is not supported/,
    ],
    ['{"json": {"type": "array", "uniqueItems": true}}', /uniqueItems/],
    [
      '{"json": {"oneOf": [{"type": "integer"}, {"type": "number"}]}}',
      /json\.oneOf: branches that can match the same value/,
    ],
    ['{"json": {"$ref": "#/$defs/none"}}', /does not exist in the schema/],
    ['{"regex": "(?=a)b"}', /regex: the pattern cannot be used: look-ahead "\(\?=" is not supported/],
    ['{"regex": "(a"}', /regex: the pattern cannot be used: "\(" is not closed/],
    ['{"grammar": "root ::= nowhere"}', /grammar: the rule nowhere is not defined/],
    ['{"grammar": "root ::= (\\"a\\" | \\"\\")*"}', /the grammar is not valid/],
    ['{"choice": ["a"], "regex": "b"}', /only one of/],
    ['{"structural_tag": "x"}', /structural_tag is not supported/],
  ])('refuses %s by name', async (option, message) => {
    await expect(ask(server, { sampling: { structured_outputs: option } })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringMatching(message),
    });
  });
});
