import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Conch } from '../support/conch.ts';
import { directive } from '../support/exchange.ts';
import { eventsOf, post, type Response, startGateway } from '../support/gateway.ts';

// What Open WebUI's routers for OpenAI's and for Ollama's API send.

let conch: Conch;
beforeAll(async () => {
  conch = await startGateway('--api-key', 'sesame');
});
afterAll(() => conch.stop());

const model = 'vllm-toy';
const said = 'A shell.';
const user = (content: unknown) => ({ role: 'user', content });
const authorization = { authorization: 'Bearer sesame' };
const asUser = {
  ...authorization,
  accept: '*/*',
  'x-openwebui-user-name': 'Ann',
  'x-openwebui-user-id': '3f2c',
  'x-openwebui-user-email': 'ann@example.com',
  'x-openwebui-user-role': 'user',
  'x-openwebui-chat-id': '9d1e',
};
const chat = (body: object): Promise<Response> => post(`${conch.url}/v1/chat/completions`, { model, ...body }, asUser);

describe('Open WebUI, set up with OPENAI_API_BASE_URL', () => {
  it('verifies the connection and lists the models', async () => {
    const response = await fetch(`${conch.url}/v1/models`, { headers: asUser });
    const { data } = (await response.json()) as { data: { id: string; object: string; owned_by: string }[] };
    expect(data.find(({ id }) => id === model)).toMatchObject({ id: model, object: 'model', owned_by: 'triton' });
    const refused = await fetch(`${conch.url}/v1/models`, { headers: { authorization: 'Bearer wrong' } });
    expect(refused.status).toBe(401);
    expect(await refused.json()).toMatchObject({ error: { code: 'invalid_api_key' } });
  });

  it('streams an answer with its usage, with every parameter that its form has', async () => {
    const { status, headers, text } = await chat({
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: 'system', content: 'Be brief.' }, user(directive({ answer: said }))],
      temperature: 0.8,
      top_p: 0.9,
      top_k: 40,
      min_p: 0.05,
      max_tokens: 128,
      frequency_penalty: 0,
      presence_penalty: 0,
      repetition_penalty: 1.1,
      seed: 7,
      stop: ['###'],
    });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(headers.get('x-conch-ignored')).toBeNull();
    const events = eventsOf(text) as { choices: { delta: { content?: string } }[]; usage?: object | null }[];
    expect(events.pop()).toBe('[DONE]');
    expect(events.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe(said);
    expect(events.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: expect.any(Number) } });
  });

  it('sends the whole conversation again with each turn', async () => {
    const { body } = await chat({
      stream: false,
      messages: [
        user('What is a conch?'),
        { role: 'assistant', content: said },
        user([{ type: 'text', text: directive({ answer: 'Yes.' }) }]),
      ],
    });
    expect(body).toMatchObject({ choices: [{ message: { role: 'assistant', content: 'Yes.' } }] });
  });

  it.each([
    ['a title', '{ "title": "Shells" }'],
    ['tags', '{ "tags": ["Sea", "Animals"] }'],
    ['questions that could follow', '{ "follow_ups": ["Where do they live?"] }'],
  ])('asks for %s by itself', async (_what, content) => {
    const { status, body } = await chat({
      stream: false,
      max_completion_tokens: 1000,
      messages: [user(`### Task: answer in JSON. ${directive({ answer: content })}`)],
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ choices: [{ message: { content }, finish_reason: 'stop' }] });
  });

  it('embeds documents', async () => {
    const body = { model: 'vllm-embed', input: ['The sea.', 'The land.'] };
    const { status, body: response } = await post(`${conch.url}/v1/embeddings`, body, asUser);
    expect(status).toBe(200);
    expect(response['data']).toEqual([
      { object: 'embedding', index: 0, embedding: expect.any(Array) },
      { object: 'embedding', index: 1, embedding: expect.any(Array) },
    ]);
  });
});

describe('Open WebUI, set up with OLLAMA_BASE_URL', () => {
  it('asks for the version and the models', async () => {
    const version = await fetch(`${conch.url}/api/version`, { headers: authorization });
    expect(await version.json()).toEqual({ version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
    const tags = await fetch(`${conch.url}/api/tags`, { headers: authorization });
    const { models } = (await tags.json()) as { models: { name: string; model: string }[] };
    expect(models.map(({ model: id }) => id).some((id) => id.startsWith(model))).toBe(true);
  });

  it('streams an answer, a JSON object in each line', async () => {
    const messages = [user(directive({ answer: said }))];
    const body = { model, messages, stream: true, options: { temperature: 0.8, num_predict: 128 }, keep_alive: '5m' };
    const { status, headers, text } = await post(`${conch.url}/api/chat`, body, authorization);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/x-ndjson');
    const parts = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { message: { content: string }; done: boolean });
    expect(parts.map(({ message }) => message.content).join('')).toBe(said);
    expect(parts.map(({ done }) => done)).toEqual([...parts.slice(1).map(() => false), true]);
  });
});
