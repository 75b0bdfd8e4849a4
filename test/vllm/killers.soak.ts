import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Conch } from '../support/conch.ts';
import { type Answer, post } from '../support/gateway.ts';
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

interface Killer {
  readonly name: string;
  /** The guide as vLLM gets it when nothing keeps it back. */
  readonly guide: object;
  readonly ask: (conch: Conch) => Promise<Answer>;
  /** The field that the 400 names; undefined where Conch writes the guide in another way, which the response follows. */
  readonly refusedField?: string;
  readonly follows?: RegExp;
}

const killers: readonly Killer[] = [
  {
    name: 'a choice with a line feed',
    guide: { choice: ['one\ntwo', 'three'] },
    ask: (conch) => chat(conch, { guided_choice: ['one\ntwo', 'three'] }),
    follows: /^(?:one\ntwo|three)$/,
  },
  {
    name: 'a choice with a carriage return',
    guide: { choice: ['one\rtwo', 'three'] },
    ask: (conch) => chat(conch, { guided_choice: ['one\rtwo', 'three'] }),
    follows: /^(?:one\rtwo|three)$/,
  },
  {
    name: 'a choice with NUL',
    guide: { choice: ['three', 'one\0two'] },
    ask: (conch) => chat(conch, { guided_choice: ['three', 'one\0two'] }),
    refusedField: 'guided_choice[1]',
  },
  {
    name: 'a regex with a Unicode class',
    guide: { regex: raw`\p{L}+` },
    ask: (conch) => chat(conch, { guided_regex: raw`\p{L}+` }),
    refusedField: 'guided_regex',
  },
  {
    name: 'a regex with a named group',
    guide: { regex: '(?P<x>a|b)c' },
    ask: (conch) => chat(conch, { guided_regex: '(?P<x>a|b)c' }),
    follows: /^[ab]c$/,
  },
  {
    name: 'a JSON schema in chat',
    guide: { json: letters },
    ask: (conch) => chat(conch, { response_format: jsonFormat }),
    refusedField: 'response_format.json_schema.schema.properties.name.pattern',
  },
  {
    name: 'a JSON schema in Responses',
    guide: { json: letters },
    ask: ({ url }) =>
      post(`${url}/v1/responses`, {
        model: realModel,
        input: 'Hello',
        max_output_tokens: 40,
        text: { format: { type: 'json_schema', name: 'letters', schema: letters } },
      }),
    refusedField: 'text.format.schema.properties.name.pattern',
  },
  {
    name: 'the parameters of a tool',
    guide: { json: letters },
    ask: (conch) => chat(conch, { tools: [tool], tool_choice: 'required' }),
    refusedField: 'tools[0].function.parameters.properties.name.pattern',
  },
];

let servers: RealVllm[] = [];
let conch: Conch;

beforeAll(async () => {
  servers = await Promise.all([startRealVllm(), startRealVllm()]);
  // The first guide of an engine decides its library, and an ordinary one decides for xgrammar.
  const firsts = await Promise.all(
    servers.map(({ generate }) => generate({ structured_outputs: JSON.stringify({ choice: ['yes', 'no'] }) })),
  );
  expect(firsts.map(({ status }) => status)).toEqual([200, 200]);
  conch = await startOverVllm(servers, noProbes);
}, patience);

afterAll(async () => {
  await conch?.stop();
  await Promise.all(servers.map(({ stop }) => stop()));
}, patience);

it.each(killers)('$name harms no engine', async ({ ask, refusedField, follows }) => {
  const before = await inferencesOf(servers);
  const answer = await ask(conch);
  const inferences = (await inferencesOf(servers)) - before;
  if (refusedField === undefined) {
    const [choice] = answer.body['choices'] as { message: { content: string } }[];
    expect({ status: answer.status, inferences }).toEqual({ status: 200, inferences: 1 });
    expect(choice?.message.content).toMatch(follows as RegExp);
  } else {
    const { status, body } = answer;
    expect({ status, param: body.error?.['param'], code: body.error?.['code'], inferences }).toEqual({
      status: 400,
      param: refusedField,
      code: 'invalid_request',
      inferences: 0,
    });
  }
});

it('leaves both engines alive, and both serve', async () => {
  expect(servers.map(({ engines }) => engines().length)).toEqual([1, 1]);
  const answers = await Promise.all(servers.map(({ generate }) => generate({})));
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect((await chat(conch)).status).toBe(200);
});

// Else the tests above would hold against an engine that no guide can harm.
it('keeps back what would have ended an engine', { timeout: patience }, async () => {
  const [server] = servers as [RealVllm];
  const guide = JSON.stringify(killers[0]?.guide);
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
