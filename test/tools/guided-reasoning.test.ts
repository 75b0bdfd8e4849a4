import { beforeAll, describe, expect, it } from 'vitest';
import { user } from '../gateway/requests.ts';
import { directive } from '../support/exchange.ts';
import { sharedGateway } from '../support/gateway.ts';
import type { SharedConch } from '../support/shared-conch.ts';
import { ask, called, choiceWith, tools } from './requests.ts';

let conch: SharedConch;
beforeAll(async () => {
  conch = await sharedGateway();
});

const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
const format = { type: 'json_schema', json_schema: { name: 's', schema } };
const thought = '<think>\nTwo and two.\n</think>\n\nFour, I say.';
const request = (free: string, more: object = {}) => ({ messages: user(directive({ free_answer: free })), ...more });
interface Counts {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly completion_tokens_details?: { readonly reasoning_tokens: number };
}
const countsOf = async (body: object) => (await ask(conch.url, body)).usage as Counts;

describe.each([false, true])('a form behind reasoning (stream %s)', (stream) => {
  it('begins where the reasoning ends', async () => {
    const { choices } = await ask(conch.url, request(thought, { stream, response_format: format }));
    expect(choices).toEqual([choiceWith({ content: '{"n": 7}' }, { reasoning: 'Two and two.' })]);
  });

  it('begins at once where the model does not reason', async () => {
    const { choices } = await ask(conch.url, request('Four.', { stream, response_format: format }));
    expect(choices).toEqual([choiceWith({ content: '{"n": 7}' })]);
  });

  it.each(['\n\n \n\n \n\n{"n": 1}', ' ', '\n\n\n<thin air>'])(
    'begins once it is clear that %j is none',
    async (free) => {
      const { choices } = await ask(conch.url, request(free, { stream, response_format: format }));
      expect(choices).toEqual([choiceWith({ content: '{"n": 7}' })]);
    },
  );

  it('begins behind reasoning that comes after blanks', async () => {
    const free = `${' \n'.repeat(6)}${thought}`;
    const { choices } = await ask(conch.url, request(free, { stream, response_format: format }));
    expect(choices).toEqual([choiceWith({ content: '{"n": 7}' }, { reasoning: 'Two and two.' })]);
  });

  it('begins at once where the template was told to leave reasoning out', async () => {
    const more = { stream, response_format: format, chat_template_kwargs: { enable_thinking: false } };
    const { choices } = await ask(conch.url, request(thought, more));
    expect(choices).toEqual([choiceWith({ content: '{"n": 7}' })]);
  });

  it('is that of calls which are insisted on, too', async () => {
    const { choices } = await ask(conch.url, request(thought, { stream, tools, tool_choice: 'required' }));
    const calls = [called('get_weather', '{"city": "toy", "days": 7}')];
    expect(choices).toEqual([choiceWith({ calls }, { reasoning: 'Two and two.' })]);
  });

  it('comes behind reasoning that the model did not close', async () => {
    const { choices } = await ask(conch.url, request('<think>\nHm.', { stream, response_format: format }));
    expect(choices).toEqual([choiceWith({ content: '{"n": 7}' }, { reasoning: 'Hm.' })]);
  });

  it('does not come where the reasoning takes all the tokens', async () => {
    const more = { stream, response_format: format, max_tokens: 3 };
    const { choices, usage } = await ask(conch.url, request(`<think>${' on'.repeat(50)}`, more));
    const cut = choiceWith({ content: '' }, { reasoning: 'on on', finish_reason: 'length' });
    expect(choices).toEqual([cut]);
    expect(usage).toMatchObject({ completion_tokens: 3 });
  });

  it('is of each answer its own', async () => {
    const { choices } = await ask(conch.url, request(thought, { stream, response_format: format, n: 2 }));
    const more = { reasoning: 'Two and two.' };
    expect(choices).toEqual([
      choiceWith({ content: '{"n": 7}' }, more),
      choiceWith({ content: '{"n": 7}' }, { ...more, index: 1 }),
    ]);
  });

  it('is counted with the reasoning, the prompt once', async () => {
    const free = await countsOf(request('<think>\nTwo and two.\n</think>', { stream }));
    const form = await countsOf(request('{"n": 7}', { stream }));
    const both = await countsOf(request(thought, { stream, response_format: format }));
    // Without the token that ends the whole answer.
    const end = 1;
    expect(both.completion_tokens).toBe(free.completion_tokens - end + form.completion_tokens);
    const reasoned = free.completion_tokens - end;
    expect(both.completion_tokens_details).toEqual({ reasoning_tokens: reasoned });
    const prompt = await countsOf(request(thought, { stream }));
    expect(both.prompt_tokens).toBe(prompt.prompt_tokens);
    const twice = await countsOf(request(thought, { stream, response_format: format, n: 2 }));
    expect(twice).toEqual({
      ...both,
      completion_tokens: 2 * both.completion_tokens,
      total_tokens: both.prompt_tokens + 2 * both.completion_tokens,
      completion_tokens_details: { reasoning_tokens: 2 * reasoned },
    });
  });
});

it("a client's stop texts are for the answer, not for the reasoning", async () => {
  const { choices } = await ask(conch.url, request(thought, { response_format: format, stop: ['two', '}'] }));
  expect(choices).toEqual([choiceWith({ content: '{"n": 7' }, { reasoning: 'Two and two.' })]);
});
