import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startConch } from '../support/conch.ts';
import { inRoot } from '../support/environment.ts';
import { gatewayFlags, post } from '../support/gateway.ts';
import { eventsIn, get, respond, responseTo, saying, showingPrompt, startKeeping, textOf } from './requests.ts';

let conch: Awaited<ReturnType<typeof startKeeping>>;
beforeAll(async () => {
  // A template whose prompts can be read.
  conch = await startKeeping({ flags: ['--chat-template', `vllm-bos=${inRoot('test/gateway/plain.jinja')}`] });
});
afterAll(() => conch.end());

const closed = (id: string) => [
  404,
  {
    error: {
      message: `Response ${JSON.stringify(id)} not found.`,
      type: 'invalid_request_error',
      param: null,
      code: 'not_found',
    },
  },
];
const errorOf = ({ status, body }: { status: number; body: { error?: Record<string, unknown> } }) => [
  status,
  body.error?.['code'],
  body.error?.['param'],
];

describe('a response that is kept', () => {
  it('is what was answered, streamed or not', async () => {
    const whole = await responseTo(conch.url, { input: saying('Yes.'), metadata: { a: 'b' } });
    expect(textOf(whole)).toBe('Yes.');
    expect((await get(conch.url, `/v1/responses/${whole.id}`)).body).toEqual(whole);
    const events = eventsIn((await respond(conch.url, { input: saying('Yes.'), stream: true })).text);
    const last = events.at(-1)?.response;
    expect((await get(conch.url, `/v1/responses/${last?.id}`)).body).toEqual(last);
  });

  it('is gone when it is deleted', async () => {
    const { id } = await responseTo(conch.url, { input: saying('Yes.') });
    // OpenAI's Python client sends the content type of a body that it does not send.
    const headers = { 'content-type': 'application/json' };
    const deleted = await fetch(`${conch.url}/v1/responses/${id}`, { method: 'DELETE', headers });
    expect([deleted.status, await deleted.json()]).toEqual([200, { id, object: 'response', deleted: true }]);
    for (const path of [`/v1/responses/${id}`, `/v1/responses/${id}/input_items`]) {
      const { status, body } = await get(conch.url, path);
      expect([status, body]).toEqual(closed(id));
    }
    const next = await respond(conch.url, { input: 'x', previous_response_id: id });
    expect(errorOf(next)).toEqual([400, 'previous_response_not_found', 'previous_response_id']);
  });

  it('is not there with store: false, nor where it failed before it began', async () => {
    const { id, store } = await responseTo(conch.url, { input: saying('Yes.'), store: false });
    expect(store).toBe(false);
    expect((await get(conch.url, `/v1/responses/${id}`)).status).toBe(404);
    expect(errorOf(await respond(conch.url, { input: 'x', temperature: 9 }))).toEqual([
      400,
      'invalid_request',
      'temperature',
    ]);
  });

  it('lists the items of its own input', async () => {
    const input = [
      { role: 'user', content: 'One' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Two' }] },
      { role: 'user', content: [{ type: 'input_text', text: saying('Four') }] },
    ];
    const { id } = await responseTo(conch.url, { input });
    const { body } = await get(conch.url, `/v1/responses/${id}/input_items?order=asc&limit=2`);
    expect(body).toMatchObject({ object: 'list', has_more: true });
    const data = body['data'] as { id: string; role: string; content: { text: string }[] }[];
    expect(data.map(({ role, content }) => [role, content[0]?.text])).toEqual([
      ['user', 'One'],
      ['assistant', 'Two'],
    ]);
    const rest = await get(conch.url, `/v1/responses/${id}/input_items?order=asc&after=${data.at(-1)?.id}`);
    expect(rest.body).toMatchObject({ has_more: false, data: [{ role: 'user' }] });
    expect(errorOf(await get(conch.url, `/v1/responses/${id}/input_items?limit=0`))).toEqual([
      400,
      'invalid_request',
      'limit',
    ]);
  });
});

describe('a conversation', () => {
  it('goes on from the response before, without its instructions', async () => {
    const first = await responseTo(conch.url, { input: `One ${saying('Two.')}`, instructions: 'Be brief.' });
    const second = await responseTo(conch.url, {
      input: `Three ${saying('Four.')}`,
      previous_response_id: first.id,
    });
    const third = await responseTo(conch.url, {
      model: 'vllm-bos',
      input: showingPrompt,
      previous_response_id: second.id,
      instructions: 'Be long.',
    });
    const prompt = JSON.parse(textOf(third)) as string;
    expect(prompt.split('\n')).toEqual([
      'system: Be long.',
      `user: One ${saying('Two.')}`,
      'assistant: Two.',
      `user: Three ${saying('Four.')}`,
      'assistant: Four.',
      `user: ${showingPrompt}`,
      'assistant:',
    ]);
    expect([second.previous_response_id, third.previous_response_id]).toEqual([first.id, second.id]);
  });

  it('loses its oldest items where it may and does not fit', async () => {
    const long = { role: 'user', content: 'word '.repeat(3000) };
    const items = [long, long, { role: 'user', content: `Short. ${saying('Yes.')}` }];
    const limit = { model: 'vllm-toy', input: items };
    const refused = await startConch({
      flags: [...gatewayFlags(), '--context-length', 'vllm-toy=4000', '--store', 'none'],
    });
    try {
      expect(errorOf(await respond(refused.url, limit))).toEqual([400, 'context_length_exceeded', 'input']);
      const response = await responseTo(refused.url, { ...limit, truncation: 'auto' });
      expect(textOf(response)).toBe('Yes.');
    } finally {
      await refused.stop();
    }
  });
});

describe('where nothing is kept', () => {
  it('answers say so, and what needs them is refused by name', async () => {
    const bare = await startConch({ flags: [...gatewayFlags(), '--store', 'none'] });
    try {
      const { id, store } = await responseTo(bare.url, { input: saying('Yes.') });
      expect(store).toBe(false);
      expect((await get(bare.url, `/v1/responses/${id}`)).status).toBe(404);
      for (const [field, value] of [
        ['previous_response_id', id],
        ['background', true],
      ] as const)
        expect(errorOf(await respond(bare.url, { input: 'x', [field]: value }))).toEqual([
          400,
          'unsupported_parameter',
          field,
        ]);
    } finally {
      await bare.stop();
    }
  });
});

it('what belongs to one key is invisible to another', async () => {
  const keyed = (key: string) => startKeeping({ place: conch.place, flags: ['--api-key', key] });
  const [ada, bob] = await Promise.all([keyed('ada-key'), keyed('bob-key')]);
  try {
    const headers = (key: string) => ({ authorization: `Bearer ${key}` });
    const { id } = await responseTo(ada.url, { input: saying('Yes.') }, headers('ada-key'));
    expect((await get(ada.url, `/v1/responses/${id}`, headers('ada-key'))).status).toBe(200);
    const theirs = await get(bob.url, `/v1/responses/${id}`, headers('bob-key'));
    expect([theirs.status, theirs.body]).toEqual(closed(id));
    const next = await respond(bob.url, { input: 'x', previous_response_id: id }, headers('bob-key'));
    expect(errorOf(next)).toEqual([400, 'previous_response_not_found', 'previous_response_id']);
    const deleted = await fetch(`${bob.url}/v1/responses/${id}`, { method: 'DELETE', headers: headers('bob-key') });
    expect(deleted.status).toBe(404);
    const cancelled = await post(`${bob.url}/v1/responses/${id}/cancel`, {}, headers('bob-key'));
    expect(cancelled.status).toBe(404);
    expect((await get(ada.url, `/v1/responses/${id}`, headers('ada-key'))).status).toBe(200);
  } finally {
    await Promise.all([ada.end(), bob.end()]);
  }
});

it('every response that was answered is there after the process was killed', async () => {
  // A model in the process: many requests that are cut off at once are not what Triton is to be tried with here.
  const folder = mkdtempSync(join(tmpdir(), 'conch-killed-'));
  const flags = ['--store', `sqlite:${join(folder, 'responses.sqlite')}`];
  const readyMilliseconds = 120_000;
  const victim = await startConch({ flags, readyMilliseconds });
  const completed: { id: string; text: string }[] = [];
  let fallen = 0;
  const requested = Array.from({ length: 100 }, async (_, at) => {
    try {
      const input = `Say ${at}.`;
      const response = await responseTo(victim.url, { model: 'smollm2-135m-instruct', input, max_output_tokens: 4 });
      completed.push({ id: response.id, text: textOf(response) });
      if (completed.length === 40) process.kill(victim.pid, 'SIGKILL');
    } catch {
      fallen++;
    }
  });
  await Promise.all(requested);
  expect([completed.length >= 40, fallen > 0, completed.length + fallen]).toEqual([true, true, 100]);
  const next = await startConch({ flags, readyMilliseconds });
  try {
    for (const { id, text } of completed) {
      const { status, body } = await get(next.url, `/v1/responses/${id}`);
      expect([status, textOf(body as never)]).toEqual([200, text]);
    }
  } finally {
    await next.stop();
    rmSync(folder, { recursive: true });
  }
}, 240_000);
