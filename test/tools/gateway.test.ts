import { beforeAll, describe, expect, it } from 'vitest';
import { loadPromptAssets } from '../../src/prompt/assets.ts';
import { countOf, user } from '../gateway/requests.ts';
import { tokenizerFolder } from '../support/environment.ts';
import { directive } from '../support/exchange.ts';
import { sharedGateway } from '../support/gateway.ts';
import type { SharedConch } from '../support/shared-conch.ts';
import { anyId, ask, called, choiceWith, tools, written } from './requests.ts';

let conch: SharedConch;
beforeAll(async () => {
  conch = await sharedGateway();
});

/** The text of token ids of the model. */
async function decoded(ids: readonly number[]): Promise<string> {
  const hub = { endpoint: 'http://127.0.0.1:1', cacheFolder: '/nowhere', offline: true };
  const { tokenizer } = await loadPromptAssets({ tokenizer: tokenizerFolder('qwen3'), hub });
  if (!tokenizer) throw new Error('There is no tokenizer.');
  return tokenizer.decode(ids, { skipSpecialTokens: false });
}

const weather = '{"city": "Zürich \\"HB\\" 😀", "days": 2}';
const one = written('get_weather', weather);
const two = `${one}\n${written('ping', '{}')}`;
const malformed = '<tool_call>\n{"name": "get_weather", "arguments": oops}\n</tool_call>';
const unknown = written('launch', '{"at": {"once": true}}');

const request = (response: string, more: object = {}) => ({
  messages: user(directive({ answer: response })),
  tools,
  ...more,
});

const cases: Record<string, { response: string; content?: string; calls?: object[] }> = {
  'one call': { response: one, calls: [called('get_weather', weather)] },
  'two calls': { response: two, calls: [called('get_weather', weather), called('ping', '{}')] },
  'text before': { response: `Let me see.\n${one}`, content: 'Let me see.', calls: [called('get_weather', weather)] },
  'text after': {
    response: `${one}\nThat is all.`,
    content: '\nThat is all.',
    calls: [called('get_weather', weather)],
  },
  'text around': {
    response: `First.\n\n${one}\nThen ${written('ping', '{}')}.`,
    content: 'First.\n\nThen .',
    calls: [called('get_weather', weather), called('ping', '{}')],
  },
  'a malformed call': { response: malformed, content: malformed },
  'an unknown function': { response: unknown, content: unknown },
  'an unknown function between calls': {
    response: `${one}\n${unknown}\n${written('ping', '{}')}`,
    content: `\n${unknown}`,
    calls: [called('get_weather', weather), called('ping', '{}')],
  },
  'no call': { response: 'A call is written {"name": …}.', content: 'A call is written {"name": …}.' },
};

describe.each([false, true])('an answer with tools (stream %s)', (stream) => {
  it.each(Object.entries(cases))('%s', async (_, { response, ...expected }) => {
    const { choices } = await ask(conch.url, request(response, { stream }));
    expect(choices).toEqual([choiceWith(expected)]);
  });

  it('of two choices has calls in each, with ids of their own', async () => {
    const { choices } = await ask(conch.url, request(two, { stream, n: 2 }));
    const calls = [called('get_weather', weather), called('ping', '{}')];
    expect(choices).toEqual([choiceWith({ calls }), choiceWith({ calls }, { index: 1 })]);
    const ids = choices.flatMap(({ message }) => (message['tool_calls'] as { id: string }[]).map(({ id }) => id));
    expect(new Set(ids).size).toBe(4);
  });

  it('has the logprobs of all its tokens', async () => {
    const { choices } = await ask(conch.url, request(one, { stream, logprobs: true }));
    const content = (choices[0]?.logprobs?.content ?? []) as { token: string; logprob: number }[];
    expect(choices).toEqual([
      { ...choiceWith({ calls: [called('get_weather', weather)] }), logprobs: { content, refusal: null } },
    ]);
    const bytes = content.flatMap((token) => (token as unknown as { bytes: number[] }).bytes);
    expect(Buffer.from(bytes).toString()).toContain(one);
  });

  it('ends for want of tokens with that reason, and what there is of the call', async () => {
    const { choices } = await ask(conch.url, request(one, { stream, max_tokens: 16 }));
    const [call] = (choices[0]?.message['tool_calls'] ?? []) as { function: { arguments: string } }[];
    expect(choices).toEqual([
      choiceWith({ calls: [called('get_weather', call?.function.arguments ?? '')] }, { finish_reason: 'length' }),
    ]);
    expect(weather.startsWith(call?.function.arguments ?? 'none')).toBe(true);
  });

  it('holds only the first call where calls are not to be parallel', async () => {
    const body = request(`${two} and more`, { stream, parallel_tool_calls: false });
    const { choices } = await ask(conch.url, body);
    expect(choices).toEqual([choiceWith({ calls: [called('get_weather', weather)] })]);
  });
});

describe('a stream with calls', () => {
  it('names each once, then gives its arguments in parts', async () => {
    const { chunks } = await ask(conch.url, request(`So.\n${two}`, { stream: true }));
    const [opening, ...deltas] = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
    expect(opening).toEqual({ role: 'assistant', content: '', refusal: null });
    expect(deltas.pop()).toEqual({});
    const calls = deltas
      .filter(({ tool_calls: part }) => part !== undefined)
      .flatMap((delta) => delta.tool_calls ?? []);
    const first = calls.filter(({ index }) => index === 0);
    expect(first[0]).toEqual({ index: 0, ...called('get_weather', '') });
    expect(first.length).toBeGreaterThan(5);
    expect(first.slice(1)).toEqual(
      first.slice(1).map((part) => ({ index: 0, function: { arguments: part.function.arguments } })),
    );
    expect(first.map((part) => part.function.arguments).join('')).toBe(weather);
    expect(calls.filter(({ index }) => index === 1)).toEqual([
      { index: 1, id: anyId, type: 'function', function: { name: 'ping', arguments: '' } },
      { index: 1, function: { arguments: '{}' } },
    ]);
    expect(deltas.filter(({ tool_calls: part }) => part === undefined)).toEqual([{ content: 'So' }, { content: '.' }]);
  });

  it.each([true, false])(
    'ends the request in the engine with a first call that is to be the only one (stream %s)',
    async (stream) => {
      // The call is complete with its last brace; held there, the toy goes on only when it is cancelled.
      const call = `<tool_call>{"name": "get_weather", "arguments": ${weather}}`;
      const { usage } = await ask(conch.url, request(call));
      const held = (usage as { completion_tokens: number }).completion_tokens - 1;
      const response = `${call}</tool_call>${written('ping', '{}').repeat(20)}`;
      const tag = `not parallel, stream ${stream}`;
      const messages = user(directive({ answer: response, hold_at: held, tag }));
      const { choices } = await ask(conch.url, { messages, tools, stream, parallel_tool_calls: false });
      expect(choices).toEqual([choiceWith({ calls: [called('get_weather', weather)] })]);
      const { state, tokens } = await countOf(conch.url, tag, { until: 'cancelled' });
      expect(state).toBe('cancelled');
      // Whether the cancel comes while it is held, or just before that.
      expect([held, held + 1]).toContain(tokens);
    },
  );
});

describe('a history', () => {
  it('with calls and their results reaches the model in its own way', async () => {
    const call = (id: string, name: string, json: string) => ({
      id,
      type: 'function',
      function: { name, arguments: json },
    });
    const messages = [
      ...user('How is it?'),
      {
        role: 'assistant',
        content: null,
        tool_calls: [call('call_1', 'get_weather', '{"city":"Bern"}'), call('call_2', 'ping', '')],
      },
      { role: 'tool', tool_call_id: 'call_1', content: [{ type: 'text', text: 'sunny' }] },
      { role: 'tool', tool_call_id: 'call_2', content: 'pong' },
      ...user(directive({ echo_ids: true })),
    ];
    const { choices } = await ask(conch.url, { messages, tools });
    const prompt = await decoded(JSON.parse(String(choices[0]?.message['content'])) as number[]);
    expect(prompt.slice(prompt.indexOf('How is it?'))).toBe(
      'How is it?<|im_end|>\n<|im_start|>assistant\n' +
        '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Bern"}}\n</tool_call>\n' +
        '<tool_call>\n{"name": "ping", "arguments": {}}\n</tool_call><|im_end|>\n' +
        '<|im_start|>user\n<tool_response>\nsunny\n</tool_response>\n<tool_response>\npong\n</tool_response><|im_end|>\n' +
        '<|im_start|>user\n<<{"echo_ids":true}>><|im_end|>\n<|im_start|>assistant\n',
    );
    expect(prompt.slice(0, prompt.indexOf('How is it?'))).toContain(
      JSON.stringify(tools[1]).replaceAll(/([:,])/g, '$1 '),
    );
  });
});
