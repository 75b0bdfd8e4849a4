import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { user } from '../gateway/requests.ts';
import { type Conch, startConch } from '../support/conch.ts';
import { inRoot } from '../support/environment.ts';
import { post } from '../support/gateway.ts';
import { ask, type WireCall } from './requests.ts';

const model = 'smollm2-135m-instruct';
/** How many seeds each schema is tried with. CONCH_TEST_SEEDS=50 takes minutes. */
const seeds = Array.from({ length: Number(process.env['CONCH_TEST_SEEDS'] ?? 5) }, (_, seed) => seed + 1);
const atOnce = 5;

let conch: Conch;
beforeAll(async () => {
  // The model's own template has no place for tools.
  const template = `${model}=${inRoot('test/tools/smollm2-tools.jinja')}`;
  const flags = ['--chat-template', template, '--tool-call-parser', 'hermes'];
  conch = await startConch({ flags, readyMilliseconds: 180_000 });
}, 200_000);
afterAll(() => conch.stop());

const Animal = z.strictObject({
  name: z.string().min(2).max(20),
  kind: z.enum(['cat', 'dog', 'fox']),
  age: z.number().int().min(0).max(30),
  home: z.strictObject({
    town: z.string().max(12),
    rooms: z.array(z.strictObject({ use: z.enum(['sleep', 'eat']), doors: z.number().int().min(1).max(9) })).max(2),
  }),
  toys: z
    .array(z.string().regex(/^[a-z]{3,8}$/))
    .min(1)
    .max(3),
  isShy: z.boolean(),
});

const functions = {
  get_weather: z.strictObject({ city: z.string().min(1).max(12), days: z.number().int().min(1).max(14) }),
  send_letter: z.strictObject({
    to: z.strictObject({ name: z.string().max(12), country: z.enum(['CH', 'FR', 'JP']) }),
    lines: z.array(z.string().max(16)).min(1).max(2),
  }),
  set_alarm: z.strictObject({ hour: z.number().int().min(0).max(23), repeats: z.boolean() }),
};
type FunctionName = keyof typeof functions;
const tools = Object.entries(functions).map(([name, schema]) => ({
  type: 'function',
  function: { name, parameters: z.toJSONSchema(schema) },
}));

/** Seconds of processor time that the program has used. */
function processorSeconds(): number {
  const fields = readFileSync(`/proc/${conch.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

interface Outcome {
  readonly seed: number;
  readonly reason: string | null;
  readonly message: Record<string, unknown>;
}

/** The answers to one question with every seed, some at once, as they would come from users. */
async function responds(body: object): Promise<Outcome[]> {
  const before = processorSeconds();
  const outcomes: Outcome[] = [];
  for (let at = 0; at < seeds.length; at += atOnce)
    outcomes.push(
      ...(await Promise.all(
        seeds.slice(at, at + atOnce).map(async (seed) => {
          const { choices } = await ask(conch.url, { model, temperature: 1, seed, max_tokens: 700, ...body });
          return { seed, reason: choices[0]?.finish_reason ?? null, message: choices[0]?.message ?? {} };
        }),
      )),
    );
  const seconds = (processorSeconds() - before).toFixed(1);
  if (process.env['CONCH_TEST_SEEDS']) console.log(`${seeds.length} seeds: ${seconds} s of processor time`);
  return outcomes;
}

const callsIn = ({ message }: Outcome) => (message['tool_calls'] ?? []) as WireCall[];
const isValid = ({ function: { name, arguments: text } }: WireCall) =>
  functions[name as FunctionName].safeParse(JSON.parse(text)).success;

describe('the embedded model', { timeout: 600_000 }, () => {
  it('obeys a JSON schema with nested objects, enums and bounds, whatever the seed', async () => {
    const response_format = { type: 'json_schema', json_schema: { name: 'animal', schema: z.toJSONSchema(Animal) } };
    const all = await responds({ messages: user('Describe a pet as JSON.'), response_format });
    const wrong = all.filter(
      ({ reason, message }) => reason !== 'stop' || !Animal.safeParse(JSON.parse(String(message['content']))).success,
    );
    expect(wrong).toEqual([]);
    expect(new Set(all.map(({ message }) => message['content'])).size).toBeGreaterThan(seeds.length / 2);
  });

  it('calls functions or obeys a schema beside tools, whatever the seed', async () => {
    const response_format = { type: 'json_schema', json_schema: { name: 'animal', schema: z.toJSONSchema(Animal) } };
    const all = await responds({ messages: user('Describe a pet as JSON.'), tools, response_format });
    const wrong = all.filter((outcome) => {
      const { reason, message } = outcome;
      const calls = callsIn(outcome);
      return calls.length > 0
        ? reason !== 'tool_calls' || message['content'] !== null || !calls.every(isValid)
        : reason !== 'stop' || !Animal.safeParse(JSON.parse(String(message['content']))).success;
    });
    expect(wrong).toEqual([]);
  });

  it('calls a function that is named, whatever the seed', async () => {
    const tool_choice = { type: 'function', function: { name: 'send_letter' } };
    const all = await responds({ messages: user('Write to Ann in France.'), tools, tool_choice });
    const wrong = all.filter((outcome) => {
      const calls = callsIn(outcome);
      const names = calls.map((call) => call.function.name).join();
      return outcome.reason !== 'tool_calls' || names !== 'send_letter' || !calls.every(isValid);
    });
    expect(wrong).toEqual([]);
  });

  // One call each: with no bound, four of fifty seeds repeat calls until their tokens are used up.
  it('calls any of three functions where a call is required', async () => {
    const body = {
      messages: user('Wake me at seven, and tell me how the weather is.'),
      tools,
      tool_choice: 'required',
      parallel_tool_calls: false,
    };
    const all = await responds({ ...body, stream: true });
    const wrong = all.filter((outcome) => {
      const calls = callsIn(outcome);
      return outcome.reason !== 'tool_calls' || calls.length === 0 || !calls.every(isValid);
    });
    expect(wrong).toEqual([]);
  });

  it('runs unguided and checked where it cannot guide to a tool that need not be called', async () => {
    const parameters = { type: 'object', properties: { a: { type: 'array', uniqueItems: true } } };
    const offered = [...tools, { type: 'function', function: { name: 'f', parameters } }];
    const body = { model, messages: user('Hello'), tools: offered, max_tokens: 40 };
    const url = `${conch.url}/v1/chat/completions`;
    const plain = await post(url, body);
    expect([plain.status, plain.headers.get('x-conch-structured')]).toEqual([200, null]);
    for (const stream of [false, true]) {
      const checked = await post(url, { ...body, stream, response_format: { type: 'json_object' } });
      // The little model seldom writes JSON by itself.
      expect(checked.headers.get('x-conch-structured')).toMatch(/^emulated; tries=\d$/);
      expect(checked.status).not.toBe(400);
    }
  });

  it.each([
    [
      'required',
      { type: 'object', properties: { a: { type: 'array', uniqueItems: true } } },
      '.properties.a.uniqueItems',
    ],
    ['required', { $ref: '#/$defs/A', $defs: { A: { type: 'object', minProperties: 1 } } }, '.$defs.A.minProperties'],
    [{ type: 'function', function: { name: 'f' } }, { type: 'object', minProperties: 1 }, '.minProperties'],
  ])(
    'names a keyword that it cannot keep to by its place among the tools, with %j',
    async (tool_choice, parameters, location) => {
      const refused = { type: 'function', function: { name: 'f', parameters } };
      const body = { model, messages: user('Hello'), tools: [...tools, refused], tool_choice };
      const { status, body: response } = await post(`${conch.url}/v1/chat/completions`, body);
      const param = `tools[3].function.parameters${location}`;
      const keyword = location.split('.').at(-1);
      expect([status, response]).toEqual([
        400,
        {
          error: {
            message: `${param}: the keyword ${keyword} is not supported.`,
            type: 'invalid_request_error',
            param,
            code: 'invalid_request',
          },
        },
      ]);
    },
  );
});
