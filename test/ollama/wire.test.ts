import { Ollama } from 'ollama';
import { beforeAll, expect, it } from 'vitest';
import { startConch } from '../support/conch.ts';
import { directive } from '../support/exchange.ts';
import { gatewayFlags, sharedGateway, startGateway } from '../support/gateway.ts';
import { pythonJson } from '../support/python.ts';
import type { SharedConch } from '../support/shared-conch.ts';
import { weatherCities as cities, weatherRounds as rounds } from '../tools/requests.ts';

let conch: SharedConch;
beforeAll(async () => {
  conch = await sharedGateway();
});

const model = 'vllm-toy';
const requested = (content: string, more: object = {}) => ({ model, messages: [{ role: 'user', content }], ...more });

async function send(path: string, body: object, { url = conch.url, headers = {} } = {}) {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

it('a stream is the default, of one object on each line', async () => {
  const { status, headers, text } = await send('/api/chat', requested(directive({ answer: 'Yes.' })));
  expect([status, headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
  expect(text.endsWith('}\n')).toBe(true);
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { message: { content: string }; done: boolean });
  expect(lines.map(({ message }) => message.content).join('')).toBe('Yes.');
  expect(lines.map(({ done }) => done)).toEqual(lines.map((_, at) => at === lines.length - 1));
});

it('a fault within a stream is its last line', async () => {
  const { status, text } = await send('/api/chat', requested(directive({ tokens: 5, error_at: 2 })));
  expect(status).toBe(200);
  expect(JSON.parse(text.trimEnd().split('\n').at(-1) ?? '')).toEqual({
    error: expect.stringMatching(/^The backend failed/),
  });
  expect(text).not.toContain('"done":true');
});

it('a fault before the first line names the fields of this API', async () => {
  const refused = directive({ error_at: 0, error_text: 'Grammar error: no' });
  const format = { type: 'object' };
  const chat = await send('/api/chat', requested(refused, { format, think: false }));
  const generated = await send('/api/generate', { model, prompt: refused, format, think: false });
  expect([chat, generated].map(({ status, text }) => [status, JSON.parse(text)])).toEqual([
    [400, { error: 'format: the backend refused it: no.' }],
    [400, { error: 'format: the backend refused it: no.' }],
  ]);
});

it('what has no effect is named', async () => {
  const { headers } = await send(
    '/api/chat',
    requested(directive({ answer: 'Yes.' }), {
      options: { num_ctx: 4096, made_up: 1, temperature: 0 },
      keep_alive: '5m',
      made_up: true,
    }),
  );
  expect(headers.get('x-conch-ignored')).toBe('made_up, options.num_ctx, options.made_up, keep_alive');
});

it.each(['/api/chat', '/api/generate'])(
  'what has no effect is named to who asks %s for a model alone',
  async (path) => {
    const { headers } = await send(path, { model, options: { num_ctx: 4096 }, keep_alive: '5m', made_up: true });
    expect(headers.get('x-conch-ignored')).toBe('made_up, options.num_ctx, keep_alive');
  },
);

it('with --strict-fields an option that nobody knows is refused, and one without effect is not', async () => {
  const strict = await startConch({ flags: [...gatewayFlags(), '--strict-fields'] });
  try {
    const ask = (options: object) =>
      send('/api/chat', requested(directive({ answer: 'Yes.' }), { options }), { url: strict.url });
    const { status, text } = await ask({ made_up: 1 });
    expect([status, JSON.parse(text)]).toEqual([400, { error: 'options.made_up: unknown field. Remove it.' }]);
    expect((await ask({ num_ctx: 4096 })).status).toBe(200);
  } finally {
    await strict.stop();
  }
});

it('faults of places and tools have the names of the request', async () => {
  const result = { role: 'tool', content: 'x', tool_call_id: 'c1' };
  const { status, text } = await send('/api/chat', { model, messages: [result] });
  expect([status, JSON.parse(text)]).toEqual([
    400,
    { error: 'messages[0].tool_call_id: no earlier tool call has the id "c1".' },
  ]);
  const image = await send('/api/generate', { model, prompt: 'x', images: ['no base64!'] });
  expect([image.status, JSON.parse(image.text)]).toEqual([
    400,
    { error: expect.stringMatching(/^images\[0]: is not valid base64/) },
  ]);
});

it.each([
  ['GET', '/api/nothing', 404, 'Invalid URL (GET /api/nothing).'],
  ['GET', '/api/chat', 405, 'Method GET is not allowed for /api/chat. Allowed: POST.'],
])('%s %s is a fault of its shape', async (method, path, status, error) => {
  const response = await fetch(conch.url + path, { method });
  expect([response.status, await response.json()]).toEqual([status, { error }]);
});

it('a file that is sent is refused before it is read', async () => {
  const response = await fetch(`${conch.url}/api/blobs/sha256:00`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: new Uint8Array(10),
  });
  expect([response.status, await response.json()]).toEqual([
    400,
    { error: 'POST /api/blobs is not supported. Put files into the model repository of a Triton server.' },
  ]);
});

it.each(['application/x-www-form-urlencoded', undefined])(
  'a body with the content type %s is JSON, but not from a web page, nor at other paths',
  async (type) => {
    const post = async (path: string, more: Record<string, string> = {}) => {
      const headers = { ...(type === undefined ? {} : { 'content-type': type }), ...more };
      // Bytes: fetch adds a content type to text.
      const body = Buffer.from(JSON.stringify(requested(directive({ answer: 'Yes.' }), { stream: false })));
      const response = await fetch(conch.url + path, { method: 'POST', headers, body });
      return [response.status, await response.json()];
    };
    const refusal = 'Request body must be JSON, sent with "Content-Type: application/json".';
    const message = { role: 'assistant', content: 'Yes.' };
    expect(await post('/api/chat')).toMatchObject([200, { message, done: true }]);
    expect(await post('/api/chat', { origin: 'https://example.com' })).toEqual([415, { error: refusal }]);
    expect(await post('/v1/chat/completions')).toMatchObject([415, { error: { message: refusal } }]);
  },
);

it('the version is that of the API, which clients look at', async () => {
  const { version } = (await (await fetch(`${conch.url}/api/version`)).json()) as { version: string };
  expect(version).toMatch(/^\d+\.\d+\.\d+$/);
});

it('keys hold here too', async () => {
  const key = 'secret-of-the-test';
  const guarded = await startGateway('--api-key', key);
  try {
    const headers = { authorization: `Bearer ${key}` };
    const { models } = await new Ollama({ host: guarded.url, headers }).list();
    expect(models.map(({ name }) => name)).toContain('vllm-toy:latest');
    const { status, text } = await send('/api/chat', requested('x'), { url: guarded.url });
    expect([status, JSON.parse(text)]).toEqual([
      401,
      { error: 'No API key. Send it in the header "Authorization: Bearer KEY".' },
    ]);
  } finally {
    await guarded.stop();
  }
});

it("Ollama's package for Python chats, generates, embeds, lists and runs a loop of tools", async () => {
  expect(await pythonJson('test/ollama/ollama_client.py', [conch.url, rounds])).toEqual({
    chat: 'Yes.',
    'streamed chat': 'Yes.',
    generated: [' w1 w2', 'length', 2],
    'streamed generation': ' w1 w2',
    form: { city: 'toy' },
    vectors: [64, 64],
    listed: true,
    running: true,
    shown: ['completion', 'tools', 'vision', 'thinking', 'embedding'],
    'wrong model': [404, expect.stringMatching(/^The model "nobody" does not exist\. Available models: .+\.$/)],
    'fault in a stream': true,
    loop: [...cities, 'All are sunny.'],
    'streamed loop': [...cities, 'All are sunny.'],
  });
});
