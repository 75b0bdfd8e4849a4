import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Conch } from '../support/conch.ts';
import { post, type Response } from '../support/gateway.ts';
import { type RealVllm, realModel, startRealVllm } from '../support/real-vllm.ts';
import { chat, inferencesOf, noProbes, patience, startOverVllm } from './over-vllm.ts';

const raw = String.raw;
const letters = {
  type: 'object',
  properties: { name: { type: 'string', pattern: raw`^\p{L}+$` } },
  required: ['name'],
  additionalProperties: false,
};
const jsonFormat = { type: 'json_schema', json_schema: { name: 'letters', schema: letters } };
const tool = { type: 'function', function: { name: 'greet', parameters: letters } };

type Ask = (conch: Conch) => Promise<Response>;

/** Killers that Conch writes in another way, and what the response is then. */
const rewritten: readonly [name: string, ask: Ask, follows: RegExp][] = [
  ['a choice with a line feed', (over) => chat(over, { guided_choice: ['one\ntwo', 'three'] }), /^(?:one\ntwo|three)$/],
  [
    'a choice with a carriage return',
    (over) => chat(over, { guided_choice: ['one\rtwo', 'three'] }),
    /^(?:one\rtwo|three)$/,
  ],
  ['a regex with a named group', (over) => chat(over, { guided_regex: '(?P<x>a|b)c' }), /^[ab]c$/],
];

/** Killers that are refused, and the field that the 400 names. */
const refused: readonly [name: string, ask: Ask, field: string][] = [
  ['a choice with NUL', (over) => chat(over, { guided_choice: ['three', 'one\0two'] }), 'guided_choice[1]'],
  ['a regex with a Unicode class', (over) => chat(over, { guided_regex: raw`\p{L}+` }), 'guided_regex'],
  [
    'a JSON schema in chat',
    (over) => chat(over, { response_format: jsonFormat }),
    'response_format.json_schema.schema.properties.name.pattern',
  ],
  [
    'a JSON schema in Responses',
    ({ url }) =>
      post(`${url}/v1/responses`, {
        model: realModel,
        input: 'Hello',
        max_output_tokens: 40,
        text: { format: { type: 'json_schema', name: 'letters', schema: letters } },
      }),
    'text.format.schema.properties.name.pattern',
  ],
  [
    'the parameters of a tool',
    (over) => chat(over, { tools: [tool], tool_choice: 'required' }),
    'tools[0].function.parameters.properties.name.pattern',
  ],
];

let servers: RealVllm[] = [];
let conch: Conch;

beforeAll(async () => {
  servers = await Promise.all([startRealVllm(), startRealVllm()]);
  // The first guide of an engine decides its library, and an ordinary one decides for xgrammar.
  await Promise.all(servers.map(({ begin }) => begin({ choice: ['yes', 'no'] })));
  conch = await startOverVllm(servers, noProbes);
}, patience);

afterAll(async () => {
  await conch?.stop();
  await Promise.all(servers.map(({ stop }) => stop()));
}, patience);

/** What a request comes to, with the inferences that it took on both servers. */
async function outcomeOf(ask: Ask) {
  const before = await inferencesOf(servers);
  const { status, body } = await ask(conch);
  return { status, body, inferences: (await inferencesOf(servers)) - before };
}

it.each(rewritten)('%s is written in another way', async (_, ask, follows) => {
  expect(await outcomeOf(ask)).toMatchObject({
    status: 200,
    body: { choices: [{ message: { content: expect.stringMatching(follows) } }] },
    inferences: 1,
  });
});

it.each(refused)('%s is refused', async (_, ask, field) => {
  expect(await outcomeOf(ask)).toMatchObject({
    status: 400,
    body: { error: { type: 'invalid_request_error', param: field, code: 'invalid_request' } },
    inferences: 0,
  });
});

it('leaves both engines alive, and both serve', async () => {
  expect(servers.map(({ engines }) => engines().length)).toEqual([1, 1]);
  const responses = await Promise.all(servers.map(({ generate }) => generate({})));
  expect(responses.map(({ status }) => status)).toEqual([200, 200]);
  expect((await chat(conch)).status).toBe(200);
});

// Else the tests above would hold against an engine that no guide can harm.
it('keeps back what would have ended an engine', { timeout: patience }, async () => {
  const [server] = servers as [RealVllm];
  const guide = JSON.stringify({ choice: ['one\ntwo', 'three'] });
  expect(await server.generate({ structured_outputs: guide })).toEqual({
    status: 400,
    text: JSON.stringify({
      error: 'Error generating stream: EngineCore encountered an issue. See stack trace (above) for the root cause.',
    }),
  });
  while (server.engines().length > 0) await new Promise((resolve) => setTimeout(resolve, 100));
  // The other one goes on, and Conch finds it with no more than one failed request.
  const after = [await chat(conch), await chat(conch), await chat(conch), await chat(conch)];
  expect(after.filter(({ status }) => status !== 200).length).toBeLessThanOrEqual(1);
  expect(servers[1]?.engines()).toHaveLength(1);
});
