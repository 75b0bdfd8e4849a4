import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Conch } from '../support/conch.ts';
import { directive } from '../support/exchange.ts';
import { eventsOf, post, type Response, startGateway } from '../support/gateway.ts';
import { begin, countOf, release, user } from './requests.ts';

let conch: Conch;
beforeAll(async () => {
  conch = await startGateway('--http-max-input-size', '5000');
});
afterAll(() => conch.stop());

const types: Record<number, string> = { 401: 'authentication_error', 502: 'server_error', 504: 'server_error' };

/** The whole answer that a failure is. */
function failure(status: number, code: string, message: string, param: string | null = null) {
  return { status, body: { error: { message, type: types[status] ?? 'invalid_request_error', param, code } } };
}

const seen = ({ status, body }: Response) => ({ status, body });
const chat = (content: string, body: object = {}) =>
  post(`${conch.url}/v1/chat/completions`, { model: 'vllm-toy', messages: user(content), ...body });

async function send(path: string, init: RequestInit): Promise<Response> {
  const response = await fetch(conch.url + path, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}

describe('a request that cannot be read', () => {
  const json = { 'content-type': 'application/json' };
  const path = '/v1/chat/completions';
  const notJson = failure(400, 'invalid_json', 'Request body is not valid JSON.');
  const noObject = failure(400, 'invalid_request', 'The request body must be a JSON object.');
  const notMedia = failure(
    415,
    'unsupported_media_type',
    'Request body must be JSON, sent with "Content-Type: application/json".',
  );

  it.each(['{', '{"model": }', 'hello', '{"model":"vllm-toy"}}', '{"__proto__":{}}'])(
    '%s is not JSON',
    async (body) => {
      expect(seen(await send(path, { method: 'POST', headers: json, body }))).toEqual(notJson);
    },
  );

  it.each(['[]', '5', '"text"', 'null'])('%s is not an object', async (body) => {
    expect(seen(await send(path, { method: 'POST', headers: json, body }))).toEqual(noObject);
  });

  it('has a body', async () => {
    expect(seen(await send(path, { method: 'POST' }))).toEqual(noObject);
    expect(seen(await send(path, { method: 'POST', headers: json, body: '' }))).toEqual(
      failure(400, 'invalid_json', 'Request body is empty. Send a JSON object.'),
    );
  });

  it.each(['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'nonsense'])(
    '%s is no media type of this API',
    async (type) => {
      const body = JSON.stringify({ model: 'vllm-toy', messages: user('x') });
      expect(seen(await send(path, { method: 'POST', headers: { 'content-type': type }, body }))).toEqual(notMedia);
    },
  );

  it('is larger than the limit', async () => {
    const tooLarge = failure(
      413,
      'request_too_large',
      'Request body is too large: the limit is set by --http-max-input-size.',
    );
    expect(seen(await chat('x'.repeat(6000)))).toEqual(tooLarge);
    expect((await chat('x'.repeat(4000))).status).toBe(200);
  });
});

describe('a path', () => {
  it.each([
    ['GET', '/v1', 'Invalid URL (GET /v1).'],
    ['POST', '/v1/chat', 'Invalid URL (POST /v1/chat).'],
    ['GET', '/v1/engines?x=1', 'Invalid URL (GET /v1/engines).'],
  ])('%s %s is unknown', async (method, path, message) => {
    expect(seen(await send(path, { method }))).toEqual(failure(404, 'not_found', message));
  });

  it('that cannot be decoded is unknown too', async () => {
    const message = 'Invalid URL: the path cannot be decoded.';
    expect(seen(await send('/v1/models/%zz', {}))).toEqual(failure(404, 'not_found', message));
  });

  it.each([
    ['GET', '/v1/chat/completions', 'POST'],
    ['DELETE', '/v1/completions', 'POST'],
    ['PUT', '/v1/models', 'GET, POST, HEAD'],
    ['DELETE', '/v1/models/vllm-toy', 'GET, HEAD, POST'],
    ['POST', '/health/ready', 'GET, HEAD'],
    ['POST', '/', 'GET, HEAD'],
  ])('does not take every method: %s %s', async (method, path, allow) => {
    const response = await send(path, { method });
    const message = `Method ${method} is not allowed for ${path}. Allowed: ${allow}.`;
    expect(seen(response)).toEqual(failure(405, 'method_not_allowed', message));
    expect(response.headers.get('allow')).toBe(allow);
  });
});

describe('a model', () => {
  it('that nobody has is not found', async () => {
    const expected = failure(
      404,
      'model_not_found',
      expect.stringMatching(/^The model "gpt-5" does not exist\. Available models: .+\.$/),
      'model',
    );
    expect(seen(await chat('x', { model: 'gpt-5' }))).toEqual(expected);
    expect(seen(await chat('x', { model: 'gpt-5', stream: true }))).toEqual(expected);
    expect(seen(await post(`${conch.url}/v1/completions`, { model: 'gpt-5', prompt: 'x' }))).toEqual(expected);
  });

  it('that is there and not offered is not found, and the answer says why', async () => {
    const inner = 'The model "add-one" does not exist. It is not served: it is part of add-two.';
    expect(seen(await chat('x', { model: 'add-one' }))).toEqual(failure(404, 'model_not_found', inner, 'model'));
    const other = 'The model "add-two" does not exist. It is not served: no contract fits its tensors.';
    expect(seen(await chat('x', { model: 'add-two' }))).toEqual(failure(404, 'model_not_found', other, 'model'));
  });

  it('that makes embeddings does not chat', async () => {
    const message = 'This model makes embeddings; it does not generate text.';
    expect(seen(await chat('x', { model: 'vllm-embed' }))).toEqual(failure(400, 'invalid_request', message, 'model'));
  });
});

describe('a prompt that is longer than the context', () => {
  // The engine's word on its context holds from then on, so a model of its own tells it.
  const model = 'vllm-queue';
  const prompt = `${directive({ context: 20 })}${' word'.repeat(30)}`;

  it('is a 400 with both numbers and the field', async () => {
    const message = (length: number) =>
      `This model's maximum context length is 20 tokens. The prompt has ${length}. Shorten it.`;
    for (const stream of [false, true]) {
      const expected = failure(400, 'context_length_exceeded', message(46), 'messages');
      expect(seen(await chat(prompt, { model, stream }))).toEqual(expected);
      expect(seen(await post(`${conch.url}/v1/completions`, { model, prompt, stream }))).toEqual(
        failure(400, 'context_length_exceeded', message(38), 'prompt'),
      );
    }
  });
});

describe('a prompt that fills the context', () => {
  it('is a 400 too: no token has room', async () => {
    const prompt = directive({ context: 7 });
    const message = "This model's maximum context length is 7 tokens. The prompt has 7. Shorten it.";
    expect(seen(await post(`${conch.url}/v1/completions`, { model: 'vllm-queue', prompt }))).toEqual(
      failure(400, 'context_length_exceeded', message, 'prompt'),
    );
  });
});

describe('a failure of the backend', () => {
  const traceback = 'Traceback (most recent call last):\n  File "/opt/tritonserver/model.py", line 7\nKeyError: 5';
  const failures: [string, object, string][] = [
    ['a plain text', {}, 'The backend failed: the toy was told to fail'],
    ['a traceback', { error_text: traceback }, 'The backend failed.'],
    ['a path', { error_text: 'cannot open /models/secret/weights.bin' }, 'The backend failed.'],
    ['an address', { error_text: 'no connection to 10.1.2.3:5000' }, 'The backend failed.'],
    [
      'a refused parameter',
      { error_text: "'NoneType' object has no attribute 'lora_name'" },
      'The backend refused a sampling parameter; its own log has the reason.',
    ],
  ];

  it.each(failures)('before the first token keeps its status: %s', async (_, orders, message) => {
    for (const stream of [false, true]) {
      const response = await chat(directive({ error_at: 0, ...orders }), { stream });
      expect(seen(response)).toEqual(failure(502, 'backend_error', message));
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    }
  });

  it.each(failures)('after some tokens ends the stream with an error: %s', async (_, orders, message) => {
    const held = { tokens: 9, error_at: 2, ...orders };
    const { status, text } = await chat(directive(held), { stream: true });
    const events = eventsOf(text);
    expect(status).toBe(200);
    expect(events.at(-1)).toEqual(failure(502, 'backend_error', message).body);
    expect(events.slice(0, -1).map((event) => (event as { choices: object[] }).choices[0])).toMatchObject([
      { delta: { role: 'assistant' } },
      { delta: { content: ' w1' } },
      { delta: { content: ' w2' } },
    ]);
    expect(seen(await chat(directive(held)))).toEqual(failure(502, 'backend_error', message));
  });

  it('is whole in the log', async () => {
    const { headers } = await chat(directive({ error_at: 0, error_text: traceback }));
    const line = await conch.logged(({ reqId }) => reqId === headers.get('x-request-id'));
    expect(line).toEqual({
      level: 'error',
      time: expect.any(String),
      reqId: headers.get('x-request-id'),
      method: 'POST',
      path: '/v1/chat/completions',
      status: 502,
      ms: expect.any(Number),
      model: 'vllm-toy',
      server: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      output_tokens: 0,
      code: 'backend_error',
      reason: 'The backend failed.',
      cause: `Error generating stream: ${traceback}`,
      message: 'request failed',
    });
  });

  it('of one choice ends the others, also in Triton', async () => {
    const fails = directive({ tokens: 9, error_at: 0 });
    const waits = directive({ tokens: 9, hold_at: 2, tag: 'sibling' });
    const { status } = await post(`${conch.url}/v1/completions`, { model: 'vllm-toy', prompt: [waits, fails] });
    expect(status).toBe(502);
    expect(await countOf(conch.url, 'sibling', { until: 'cancelled' })).toMatchObject({ state: 'cancelled' });
  });

  it.each([
    ['without finishing', { no_finish: true }, 'The backend ended the response without finishing it.'],
    ['with the reason abort', { finish: 'abort' }, 'The backend ended the generation early (abort).'],
    ['with the reason error', { finish: 'error' }, 'The backend ended the generation early (error).'],
  ])('that ends an answer %s is an error', async (_, orders, message) => {
    const order = directive({ answer: 'one two', ...orders });
    expect(seen(await chat(order))).toEqual(failure(502, 'backend_error', message));
    const tag = `ended ${message}`;
    const held = directive({ answer: 'one two', hold_at: 1, tag, ...orders });
    const body = { model: 'vllm-toy', messages: user(held), stream: true };
    const { until, whole } = begin(`${conch.url}/v1/chat/completions`, body);
    await until('"one"');
    await release(conch.url, tag);
    const text = await whole();
    expect(eventsOf(text).at(-1)).toEqual(failure(502, 'backend_error', message).body);
    expect(text).not.toContain('"finish_reason":"');
  });
});

describe('--api-key', () => {
  let locked: Conch;
  beforeAll(async () => {
    locked = await startGateway('--api-key', 'sesame-7');
  });
  afterAll(() => locked.stop());

  const missing = failure(401, 'invalid_api_key', 'No API key. Send it in the header "Authorization: Bearer KEY".');
  const wrong = failure(401, 'invalid_api_key', 'Incorrect API key provided. Check the key and try again.');
  const ask = (authorization?: string) =>
    post(
      `${locked.url}/v1/chat/completions`,
      { model: 'vllm-toy', messages: user('x') },
      authorization === undefined ? {} : { authorization },
    );

  it.each([
    [undefined, missing],
    ['sesame-7', missing],
    ['Bearer', missing],
    ['Bearer wrong', wrong],
    ['Bearer sesame-77', wrong],
    ['Bearer SESAME-7', wrong],
    ['Basic sesame-7', wrong],
  ])('is asked for: %s', async (authorization, expected) => {
    const response = await ask(authorization);
    expect(seen(response)).toEqual(expected);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
  });

  it('opens everything', async () => {
    expect((await ask('Bearer sesame-7')).status).toBe(200);
    expect((await ask('bearer sesame-7')).status).toBe(200);
  });

  it('stands before every path but those of health', async () => {
    const status = async (path: string) => (await fetch(locked.url + path)).status;
    const closed = ['/v1/models', '/models', '/models/vllm-toy', '/v1/chat/completions', '/nothing'];
    const open = ['/health/live', '/health/ready', '/v1/health/ready', '/health/live/'];
    expect(await Promise.all(closed.map(status))).toEqual(closed.map(() => 401));
    expect(await Promise.all(open.map(status))).toEqual(open.map(() => 200));
  });

  it('never reaches the log', async () => {
    const { headers } = await ask('Bearer sesame-7');
    await locked.logged(({ reqId }) => reqId === headers.get('x-request-id'));
    expect(JSON.stringify(locked.log())).not.toContain('sesame');
  });
});

describe('--request-timeout', () => {
  let hurried: Conch;
  beforeAll(async () => {
    hurried = await startGateway('--request-timeout', '2s');
  });
  afterAll(() => hurried.stop());

  const late = failure(504, 'deadline_exceeded', 'The response was not complete within the time limit.');
  const ask = (orders: Record<string, unknown>, stream: boolean) =>
    post(`${hurried.url}/v1/chat/completions`, { model: 'vllm-toy', messages: user(directive(orders)), stream });

  it('is a 504 for an answer that is late, and ends it in Triton', async () => {
    expect(seen(await ask({ tokens: 9, hold_at: 3, tag: 'late' }, false))).toEqual(late);
    expect(await countOf(conch.url, 'late', { until: 'cancelled' })).toMatchObject({ state: 'cancelled' });
    expect(seen(await ask({ tokens: 9, hold_at: 0 }, true))).toEqual(late);
  });

  it('ends a stream that has begun with an error', async () => {
    const { status, text } = await ask({ tokens: 9, hold_at: 2, tag: 'late stream' }, true);
    expect([status, eventsOf(text).at(-1)]).toEqual([200, late.body]);
    expect(await countOf(conch.url, 'late stream', { until: 'cancelled' })).toMatchObject({ state: 'cancelled' });
  });
});
