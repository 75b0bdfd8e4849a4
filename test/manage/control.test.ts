import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { begin } from '../gateway/requests.ts';
import { type Conch, startConch } from '../support/conch.ts';
import { directive } from '../support/exchange.ts';
import { eventsOf, post, type Response, startGateway } from '../support/gateway.ts';
import { python } from '../support/python.ts';
import { startTriton, type Triton } from '../support/triton.ts';
import { indexOf, toyRepository } from './repository.ts';

const patience = 240_000;
const folders = [
  toyRepository(['both', 'only', 'broken', 'waiting', 'steady'], { broken: 'breaks', waiting: 'waits' }),
  toyRepository(['both']),
] as const;
const gate = join(folders[0], 'gate');
let first: Triton;
let second: Triton;
let conch: Conch;

beforeAll(async () => {
  const environment = { CONCH_TEST_LOAD_GATE: gate };
  [first, second] = await Promise.all([
    startTriton({ repository: folders[0], modelControl: 'explicit', loadModels: ['steady'], environment }),
    startTriton({ repository: folders[1], modelControl: 'explicit' }),
  ]);
  conch = await startConch({ flags: flags() });
}, patience);
afterAll(async () => {
  await conch.stop();
  await Promise.all([first.stop(), second.stop()]);
  for (const folder of folders) rmSync(folder, { recursive: true });
});

// It looks by itself once an hour: what it knows sooner, it knows from loading and unloading.
const flags = () => [
  ...[first, second].flatMap(({ grpcPort }) => ['--triton', `127.0.0.1:${grpcPort}`]),
  '--refresh-interval',
  '1h',
];
const nameOf = ({ grpcPort }: Triton): string => `127.0.0.1:${grpcPort}`;
const order = (what: string, url = conch.url): Promise<Response> => post(`${url}/v1/models/${what}`, {});
const complete = (model: string, url = conch.url): Promise<Response> =>
  post(`${url}/v1/completions`, { model, prompt: directive({ answer: 'here' }) });
const seen = ({ status, body, headers }: Response) => ({ status, body, retryAfter: headers.get('retry-after') });
const failure = (
  status: number,
  code: string,
  message: string,
  { param = 'model', retryAfter = null }: { param?: string | null; retryAfter?: string | null } = {},
) => {
  const type = status >= 500 ? 'server_error' : 'invalid_request_error';
  return { status, body: { error: { message, type, param, code } }, retryAfter };
};
const described = (id: string) => ({
  id,
  object: 'model',
  created: expect.any(Number),
  owned_by: 'triton',
  root: id,
  parent: null,
  version: '1',
  max_model_len: null,
  contract: 'vllm',
  capabilities: {
    completion: true,
    chat: false,
    tools: false,
    reasoning: false,
    guided_decoding: true,
    images: false,
    logprobs: true,
    logit_bias: false,
    token_ids: false,
    embedding: true,
    rerank: false,
    classify: false,
  },
});
const listed = async (): Promise<string[]> => {
  const { data } = (await (await fetch(`${conch.url}/v1/models`)).json()) as { data: { id: string }[] };
  return data.map(({ id }) => id);
};

/** Lets a held request go on, past Conch. */
const releaseAt = async ({ httpPort }: Triton, model: string, tag: string): Promise<void> => {
  const body = JSON.stringify({ text_input: directive({ release: tag }), sampling_parameters: '{}' });
  const url = `http://127.0.0.1:${httpPort}/v2/models/${model}/generate_stream`;
  const response = await fetch(url, { method: 'POST', body });
  await response.text();
  expect(response.status).toBe(200);
};

describe('POST /v1/models/{model}/load and /unload', { timeout: patience }, () => {
  it('load on every server that has the model, and unload from all of them', async () => {
    expect(seen(await complete('both'))).toMatchObject({ status: 404 });
    expect(seen(await order('both/load'))).toEqual({ status: 200, body: described('both'), retryAfter: null });
    expect([await indexOf(first), await indexOf(second)]).toMatchObject([{ both: 'READY' }, { both: 'READY' }]);
    const view = async (triton: Triton): Promise<unknown> =>
      JSON.parse((await python('test/manage/repository_view.py', [nameOf(triton)])).stdout);
    expect(await view(second)).toEqual({ states: { both: 'READY' }, ready: { both: true } });
    for (let turn = 0; turn < 4; turn++)
      expect((await complete('both')).body).toMatchObject({ choices: [{ text: 'here' }] });
    expect(await listed()).toEqual(['both', 'steady']);
    const done = { status: 200, body: { status: 'success', model: 'both' }, retryAfter: null };
    expect(seen(await order('both/unload'))).toEqual(done);
    expect([await indexOf(first), await indexOf(second)]).toMatchObject([
      { both: 'UNAVAILABLE' },
      { both: 'UNAVAILABLE' },
    ]);
    expect(await view(second)).toEqual({ states: { both: 'UNAVAILABLE' }, ready: { both: false } });
    expect(await listed()).toEqual(['steady']);
    expect(seen(await complete('both'))).toEqual(
      failure(404, 'model_not_found', 'The model "both" does not exist. It is not served: it is not loaded.'),
    );
  });

  it('tell each step of each server as events', async () => {
    const loaded = await order('both/load?stream=true');
    expect(loaded.status).toBe(200);
    const step = (triton: Triton, state: string, more = {}) => ({
      model: 'both',
      server: nameOf(triton),
      state,
      ...more,
    });
    const events = eventsOf(loaded.text);
    expect(events.slice(0, 2)).toEqual([step(first, 'LOADING'), step(second, 'LOADING')]);
    expect(new Set(events.slice(2, 4))).toEqual(new Set([step(first, 'READY'), step(second, 'READY')]));
    expect(events.slice(4)).toEqual([described('both'), '[DONE]']);
    const url = `${conch.url}/v1/models/both/unload`;
    const accepted = await fetch(url, { method: 'POST', headers: { accept: 'text/event-stream' } });
    expect(accepted.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const unloads = eventsOf(await accepted.text());
    expect(unloads.slice(0, 4)).toEqual([
      step(first, 'DRAINING', { running: 0 }),
      step(second, 'DRAINING', { running: 0 }),
      step(first, 'UNLOADING'),
      step(second, 'UNLOADING'),
    ]);
    expect(new Set(unloads.slice(4, 6))).toEqual(new Set([step(first, 'UNLOADED'), step(second, 'UNLOADED')]));
    expect(unloads.slice(6)).toEqual([{ status: 'success', model: 'both' }, '[DONE]']);
  });

  it.each([
    ['steady/load', failure(400, 'invalid_request', 'model: steady is already loaded.')],
    ['only/unload', failure(400, 'invalid_request', 'model: only is not loaded.')],
    ['nobody/load', failure(404, 'model_not_found', 'The model "nobody" does not exist.')],
    ['nobody/unload?stream=true', failure(404, 'model_not_found', 'The model "nobody" does not exist.')],
    ['..%2Fsteady/load', failure(404, 'model_not_found', 'The model "../steady" does not exist.')],
    ['%2e%2e%2f%2e%2e%2fetc/unload', failure(404, 'model_not_found', 'The model "../../etc" does not exist.')],
    ['a/b/c/load', failure(404, 'model_not_found', 'The model "a/b/c" does not exist.')],
    ['steady/load?stream=yes', failure(400, 'invalid_request', 'stream: must be true or false.', { param: 'stream' })],
  ])('refuse %s', async (what, expected) => {
    expect(seen(await order(what))).toEqual(expected);
    expect((await complete('steady')).status).toBe(200);
  });

  it('tell the reason of a load that fails, without paths, in both forms', async () => {
    const reason = "Internal: JSONDecodeError: Expecting ',' delimiter: line 1 column 13 (char 12)";
    const expected = failure(
      502,
      'backend_error',
      `The model broken could not be loaded: ${nameOf(first)}: ${reason}.`,
    );
    expect(seen(await order('broken/load'))).toEqual(expected);
    expect(eventsOf((await order('broken/load?stream=true')).text)).toEqual([
      { model: 'broken', server: nameOf(first), state: 'LOADING' },
      { model: 'broken', server: nameOf(first), state: 'FAILED', reason },
      expected.body,
    ]);
  });

  it('refuse a second order while the first is carried out, and serve the others meanwhile', async () => {
    const loading = begin(`${conch.url}/v1/models/waiting/load?stream=true`, {});
    await loading.until('LOADING');
    const busy = failure(409, 'model_busy', 'The model waiting is being loaded. Try again later.', {
      retryAfter: '2',
    });
    expect(seen(await order('waiting/load'))).toEqual(busy);
    expect(seen(await order('waiting/unload'))).toEqual(busy);
    expect(seen(await complete('waiting'))).toEqual(
      failure(503, 'model_not_ready', 'The model waiting is loading. Try again later.', { retryAfter: '2' }),
    );
    expect((await complete('steady')).status).toBe(200);
    writeFileSync(gate, '');
    expect(eventsOf(await loading.whole()).at(-1)).toBe('[DONE]');
    expect((await complete('waiting')).body).toMatchObject({ choices: [{ text: 'here' }] });
    expect((await order('waiting/unload')).status).toBe(200);
    expect(seen(await order('waiting/unload'))).toEqual(
      failure(400, 'invalid_request', 'model: waiting is not loaded.'),
    );
  });

  it('let the requests that run end before the model goes, and take no new ones', async () => {
    expect((await order('only/load')).status).toBe(200);
    const prompt = directive({ tokens: 8, hold_at: 3, tag: 'kept' });
    const stream = begin(`${conch.url}/v1/completions`, { model: 'only', prompt, max_tokens: 8, stream: true });
    await stream.until('w3');
    const unloading = begin(`${conch.url}/v1/models/only/unload?stream=true`, {});
    await unloading.until('"running":1');
    expect(seen(await complete('only'))).toEqual(
      failure(503, 'model_not_ready', 'The model only is unloading. Try again later.', { retryAfter: '2' }),
    );
    expect(await listed()).toEqual(['steady']);
    expect(seen(await order('only/unload'))).toEqual(
      failure(409, 'model_busy', 'The model only is being unloaded. Try again later.', { retryAfter: '2' }),
    );
    expect(await indexOf(first)).toMatchObject({ only: 'READY' });
    await releaseAt(first, 'only', 'kept');
    const events = eventsOf(await stream.whole()) as { choices: { text: string }[] }[];
    expect(events.at(-1)).toBe('[DONE]');
    const text = events.slice(0, -1).map(({ choices }) => choices[0]?.text ?? '');
    expect(text.join('')).toBe(' w1 w2 w3 w4 w5 w6 w7 w8');
    expect(eventsOf(await unloading.whole()).at(-1)).toBe('[DONE]');
    expect(await indexOf(first)).toMatchObject({ only: 'UNAVAILABLE' });
  });

  it('cancel what still runs after --unload-timeout, with an error that says so', async () => {
    const hasty = await startConch({ flags: [...flags(), '--unload-timeout', '200ms'] });
    try {
      expect((await order('only/load', hasty.url)).status).toBe(200);
      const body = { model: 'only', prompt: directive({ tokens: 8, hold_at: 3, tag: 'cut' }) };
      const stream = begin(`${hasty.url}/v1/completions`, { ...body, stream: true });
      await stream.until('w3');
      const whole = post(`${hasty.url}/v1/completions`, {
        ...body,
        prompt: directive({ tokens: 8, hold_at: 1, tag: 'c' }),
      });
      await post(`${hasty.url}/v1/completions`, { model: 'only', prompt: directive({ count_of: 'c', until: 'held' }) });
      expect(seen(await order('only/unload', hasty.url))).toEqual({
        status: 200,
        body: { status: 'success', model: 'only' },
        retryAfter: null,
      });
      const cut = failure(
        503,
        'model_not_ready',
        'The model only is being unloaded, and this request did not finish within 0.2 s (--unload-timeout).',
      );
      expect(eventsOf(await stream.whole()).at(-1)).toEqual(cut.body);
      expect(seen(await whole)).toEqual(cut);
      expect(await indexOf(first)).toMatchObject({ only: 'UNAVAILABLE', steady: 'READY' });
      expect((await complete('steady', hasty.url)).status).toBe(200);
    } finally {
      await hasty.stop();
    }
  });

  it('leave a server alone that is not in explicit mode', async () => {
    const gateway = await startGateway();
    try {
      const stream = begin(`${gateway.url}/v1/completions`, {
        model: 'vllm-toy',
        prompt: directive({ tokens: 4, hold_at: 2, tag: 'untouched' }),
        stream: true,
      });
      await stream.until('w2');
      const response = await order('vllm-toy/unload', gateway.url);
      const text = String(response.body.error?.['message']);
      expect(seen(response)).toEqual(failure(400, 'invalid_request', text));
      expect(text).toMatch(
        /^The model vllm-toy could not be unloaded: 127\.0\.0\.1:\d+: loading and unloading models is disabled; start tritonserver with --model-control-mode=explicit\.$/,
      );
      await post(`${gateway.url}/v1/completions`, { model: 'vllm-toy', prompt: directive({ release: 'untouched' }) });
      expect(eventsOf(await stream.whole()).at(-1)).toBe('[DONE]');
    } finally {
      await gateway.stop();
    }
  });

  it('are refused without the header of the model repository', async () => {
    const guarded = await startConch({ flags: [...flags(), '--openai-restricted-api', 'model-repository', 'x', 'y'] });
    const { status, body } = await order('steady/unload', guarded.url);
    await guarded.stop();
    expect({ status, code: body.error?.['code'] }).toEqual({ status: 401, code: 'invalid_auth' });
    expect(await indexOf(first)).toMatchObject({ steady: 'READY' });
  });

  it('say so when a server dies in the middle, and serve from the others', async () => {
    rmSync(gate);
    const folder = toyRepository(['both', 'waiting'], { waiting: 'waits' });
    const environment = { CONCH_TEST_LOAD_GATE: gate };
    const mortal = await startTriton({ repository: folder, modelControl: 'explicit', environment });
    const address = `127.0.0.1:${mortal.grpcPort}`;
    const both = await startConch({ flags: [...flags(), '--triton', address] });
    try {
      const loading = begin(`${both.url}/v1/models/waiting/load?stream=true`, {});
      await loading.until(`${address}","state":"LOADING"`);
      await mortal.kill('SIGKILL');
      await loading.until('FAILED');
      writeFileSync(gate, '');
      const events = eventsOf(await loading.whole());
      const reason = 'unreachable, or the connection was lost';
      expect(events).toContainEqual({ model: 'waiting', server: address, state: 'FAILED', reason });
      expect(events).toContainEqual({ model: 'waiting', server: nameOf(first), state: 'READY' });
      expect(events.at(-1)).toEqual(
        failure(502, 'server_unreachable', `The model waiting could not be loaded: ${address}: ${reason}.`).body,
      );
      expect((await complete('waiting', both.url)).body).toMatchObject({ choices: [{ text: 'here' }] });
      expect((await order('waiting/unload', both.url)).status).toBe(200);
    } finally {
      await both.stop();
      rmSync(folder, { recursive: true });
    }
  });
});
