import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textsOf, user } from '../gateway/requests.ts';
import type { Conch } from '../support/conch.ts';
import { inRoot } from '../support/environment.ts';
import { directive } from '../support/exchange.ts';
import { llamaTokenizer, post, type Response, sharedGateway, startGateway } from '../support/gateway.ts';
import type { SharedConch } from '../support/shared-conch.ts';
import { ask, called, choiceWith, tools, written } from './requests.ts';

let conch: SharedConch;
beforeAll(async () => {
  conch = await sharedGateway(...llamaTokenizer());
});

const thought = '<think>\nTwo and two, "hm" 😀.\n</think>\n\nIt is 4.';
const reasoning = 'Two and two, "hm" 😀.';
const request = (response: string, more: object = {}) => ({ messages: user(directive({ answer: response })), ...more });
const details = (usage: unknown) =>
  (usage as { completion_tokens_details?: { reasoning_tokens: number } }).completion_tokens_details;

describe.each([false, true])('reasoning (stream %s)', (stream) => {
  it('stands beside the answer under both of its names', async () => {
    const { choices } = await ask(conch.url, request(thought, { stream }));
    expect(choices).toEqual([choiceWith({ content: 'It is 4.' }, { reasoning })]);
  });

  it('is left out where it is not wanted', async () => {
    const { choices } = await ask(conch.url, request(thought, { stream, include_reasoning: false }));
    expect(choices).toEqual([choiceWith({ content: 'It is 4.' })]);
  });

  it('comes before a call', async () => {
    const response = `<think>\nI shall ask.\n</think>\n\n${written('get_weather', '{"city": "Bern"}')}`;
    const { choices } = await ask(conch.url, request(response, { stream, tools }));
    const calls = [called('get_weather', '{"city": "Bern"}')];
    expect(choices).toEqual([choiceWith({ calls }, { reasoning: 'I shall ask.' })]);
  });

  it('may mention a call that is none', async () => {
    const call = written('ping', '{}');
    const { choices } = await ask(conch.url, request(`<think>\n${call}?\n</think>\n\nNo.`, { stream, tools }));
    expect(choices).toEqual([choiceWith({ content: 'No.' }, { reasoning: `${call}?` })]);
  });

  it('is empty where the template was told to leave it out', async () => {
    const { choices } = await ask(
      conch.url,
      request('It is <think> 4.', { stream, chat_template_kwargs: { enable_thinking: false } }),
    );
    expect(choices).toEqual([choiceWith({ content: 'It is <think> 4.' })]);
  });

  it('that never ends is all there is', async () => {
    const { choices } = await ask(conch.url, request('<think>\nOn and on', { stream }));
    expect(choices).toEqual([choiceWith({ content: '' }, { reasoning: 'On and on' })]);
  });

  it('is of each choice its own', async () => {
    const { choices } = await ask(conch.url, request(thought, { stream, n: 2 }));
    expect(choices).toEqual([
      choiceWith({ content: 'It is 4.' }, { reasoning }),
      choiceWith({ content: 'It is 4.' }, { index: 1, reasoning }),
    ]);
  });

  it('has no tokens where there is none', async () => {
    const { usage } = await ask(conch.url, request('It is 4.', { stream }));
    expect(details(usage)).toBeUndefined();
  });
});

describe('what the template is told of reasoning', () => {
  let plain: Conch;
  beforeAll(async () => {
    plain = await startGateway('--chat-template', `vllm-toy=${inRoot('test/gateway/plain.jinja')}`);
  });
  afterAll(() => plain.stop());
  const sent = async (url: string, more: object) => {
    const body = { model: 'vllm-toy', messages: user(directive({ echo_prompt: true })), ...more };
    const { body: response, headers } = await post(`${url}/v1/chat/completions`, body);
    return { prompt: textsOf({ body: response } as Response)[0], ignored: headers.get('x-conch-ignored') };
  };

  it('is how hard to think', async () => {
    expect((await sent(plain.url, { reasoning_effort: 'high' })).prompt).toContain('effort: high');
  });

  it('is whether to think at all, where it asks', async () => {
    const thinking = await ask(conch.url, request('It is <think> 4.', { enable_thinking: false }));
    expect(thinking.choices).toEqual([choiceWith({ content: 'It is <think> 4.' })]);
    const other = { model: 'vllm-llama', enable_thinking: false };
    expect((await sent(conch.url, other)).ignored).toBe('enable_thinking');
  });
});

describe('streamed reasoning', () => {
  it('comes before the answer', async () => {
    const { chunks } = await ask(conch.url, request('<think>\nOne two\n</think>\n\nThree four', { stream: true }));
    expect(chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta))).toEqual([
      { role: 'assistant', content: '', refusal: null },
      { reasoning_content: 'One', reasoning: 'One' },
      { reasoning_content: ' two', reasoning: ' two' },
      { content: 'Three' },
      { content: ' four' },
      {},
    ]);
  });

  it('is counted, whether it is shown or not', async () => {
    for (const more of [{ stream: true }, { stream: false }, { stream: true, include_reasoning: false }]) {
      const { usage } = await ask(conch.url, request(thought, more));
      // All but those of the answer, of its end, and of the marker that opens the reasoning.
      const { completion_tokens: all } = usage as { completion_tokens: number };
      const { usage: short } = await ask(conch.url, request('It is 4.'));
      const { completion_tokens: response } = short as { completion_tokens: number };
      expect(details(usage)).toEqual({ reasoning_tokens: all - response - 2 });
    }
  });
});
