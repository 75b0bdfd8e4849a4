import { beforeAll, describe, expect, it } from 'vitest';
import { user } from '../gateway/requests.ts';
import { directive } from '../support/exchange.ts';
import { sharedGateway } from '../support/gateway.ts';
import type { SharedConch } from '../support/shared-conch.ts';
import { ask, called, choiceWith, samplingIn, tools, written } from './requests.ts';

let conch: SharedConch;
beforeAll(async () => {
  conch = await sharedGateway();
});

const [weatherTool, pingTool] = tools as [(typeof tools)[0], (typeof tools)[0]];
const weather = '{"city": "Bern"}';
const one = written('get_weather', weather);
const named = (name: string) => ({ type: 'function', function: { name } });
const noArguments = { type: 'object', properties: {}, additionalProperties: false };
/** The arguments of a function as the backend is sent them: without a word on other properties there are none. */
const weatherArguments = { ...(weatherTool.function.parameters as object), additionalProperties: false };
const request = (response: string, choice: unknown, more: object = {}) => ({
  messages: user(directive({ answer: response })),
  tools,
  tool_choice: choice,
  ...more,
});

/** The call that a list of guided calls may hold. */
const guided = (name: string, parameters: object) => ({
  type: 'object',
  properties: { name: { const: name }, parameters },
  required: ['name', 'parameters'],
  additionalProperties: false,
});

interface Sent {
  /** The schema that the answer must obey. */
  readonly schema: unknown;
  /** The beginning of the prompt, as it stands in JSON. */
  readonly prompt: string;
}

/** What the model is sent with this choice of tools. */
async function sent(choice: unknown, more: object = {}): Promise<Sent> {
  const messages = user(directive({ echo_parameters: true }));
  const { choices } = await ask(conch.url, { messages, tools, tool_choice: choice, ...more });
  const [first] = choices;
  const { structured_outputs: structure } = samplingIn(first) as { structured_outputs?: string };
  const schema = structure === undefined ? undefined : (JSON.parse(structure) as { json: unknown }).json;
  const text = JSON.stringify(first?.message);
  return { schema, prompt: text.slice(text.indexOf('text_input')).replaceAll('\\', '') };
}

describe.each([false, true])('tool_choice (stream %s)', (stream) => {
  it('none: all of the answer is text', async () => {
    const { choices } = await ask(conch.url, request(one, 'none', { stream }));
    expect(choices).toEqual([choiceWith({ content: one })]);
  });

  it('auto: the model calls what it wants', async () => {
    const { choices } = await ask(conch.url, request(one, 'auto', { stream }));
    expect(choices).toEqual([choiceWith({ calls: [called('get_weather', weather)] })]);
  });

  it('required: the answer is a list of calls', async () => {
    const list = `[{"name": "get_weather", "parameters": ${weather}}, {"name": "ping", "parameters": {}}]`;
    const { choices } = await ask(conch.url, request(list, 'required', { stream }));
    expect(choices).toEqual([choiceWith({ calls: [called('get_weather', weather), called('ping', '{}')] })]);
  });

  it('a function by its name: the answer is its arguments', async () => {
    const { choices } = await ask(conch.url, request(weather, named('get_weather'), { stream }));
    expect(choices).toEqual([choiceWith({ calls: [called('get_weather', weather)] })]);
  });

  it('allowed_tools: a call of any other is text', async () => {
    const choice = { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [named('ping')] } };
    const response = `${one}\n${written('ping', '{}')}`;
    const { choices } = await ask(conch.url, request(response, choice, { stream }));
    expect(choices).toEqual([choiceWith({ content: one, calls: [called('ping', '{}')] })]);
  });

  it('required, and the backend guides the answer', async () => {
    const { choices } = await ask(conch.url, { messages: user('x'), tools, tool_choice: 'required', stream });
    expect(choices).toEqual([choiceWith({ calls: [called('get_weather', '{"city": "toy", "days": 7}')] })]);
  });
});

describe('what the model is sent', () => {
  it('none: no tools, no schema', async () => {
    const { schema, prompt } = await sent('none');
    expect(schema).toBeUndefined();
    expect(prompt).not.toContain('get_weather');
  });

  it('auto: the tools in the prompt, no schema', async () => {
    const { schema, prompt } = await sent('auto');
    expect(schema).toBeUndefined();
    for (const name of ['get_weather', 'ping']) expect(prompt).toContain(`"name": "${name}"`);
  });

  it.each([
    { parallel: true, most: {} },
    { parallel: false, most: { maxItems: 1 } },
  ])('required: a schema over all tools (parallel $parallel)', async ({ parallel, most }) => {
    expect((await sent('required', { parallel_tool_calls: parallel })).schema).toEqual({
      type: 'array',
      minItems: 1,
      ...most,
      items: {
        anyOf: [guided('get_weather', weatherArguments), guided('ping', noArguments)],
      },
    });
  });

  it('a function by its name: the schema of its arguments, and that tool alone', async () => {
    const { schema, prompt } = await sent(named('get_weather'));
    expect(schema).toEqual(weatherArguments);
    expect(prompt).toContain('get_weather');
    expect((await sent(named('ping'))).schema).toEqual(noArguments);
  });

  it('allowed_tools required: a schema over those alone', async () => {
    const choice = { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [named('ping')] } };
    const { schema, prompt } = await sent(choice);
    expect(schema).toEqual({ type: 'array', minItems: 1, items: guided('ping', noArguments) });
    expect(prompt).not.toContain('get_weather');
  });

  it('required: the definitions of one tool are not those of another', async () => {
    const tool = (name: string, location: object) => ({
      type: 'function',
      function: {
        name,
        parameters: {
          type: 'object',
          properties: { place: { $ref: '#/$defs/Place' }, $ref: { type: 'string' } },
          $defs: { Place: location },
        },
      },
    });
    const offered = [
      tool('one', { type: 'object', properties: { near: { $ref: '#/$defs/Place' } } }),
      tool('two', { type: 'string', enum: ['sea', 'land'] }),
    ];
    const locate = (at: number) => ({
      type: 'object',
      properties: { place: { $ref: `#/$defs/d${at}` }, $ref: { type: 'string' } },
      additionalProperties: false,
    });
    expect((await sent('required', { tools: offered })).schema).toEqual({
      type: 'array',
      minItems: 1,
      items: { anyOf: [guided('one', locate(0)), guided('two', locate(1))] },
      $defs: {
        d0: { type: 'object', properties: { near: { $ref: '#/$defs/d0' } }, additionalProperties: false },
        d1: { enum: ['sea', 'land'] },
      },
    });
  });

  it('the tools in the prompt as the request has them', async () => {
    expect((await sent('auto')).prompt).toContain(JSON.stringify(pingTool).replaceAll(/([:,])/g, '$1 '));
  });
});
