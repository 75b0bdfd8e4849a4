import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { begin, countOf, user } from '../gateway/requests.ts';
import { type Conch } from '../support/conch.ts';
import { inRoot } from '../support/environment.ts';
import { directive } from '../support/exchange.ts';
import { post, startGateway } from '../support/gateway.ts';
import { type Family, scrape, valuesOf } from './scrape.ts';

const chat = '/v1/chat/completions';
let conch: Conch;
let server: string;
let families: Family[];

/** Known traffic, each kind of request a different number of times. */
async function traffic(): Promise<void> {
  const ask = (body: object, path = chat) => post(conch.url + path, { model: 'vllm-toy', ...body });
  const messages = user(directive({ tokens: 5 }));
  for (let at = 0; at < 3; at++) await ask({ messages, stream: true });
  for (let at = 0; at < 2; at++) await ask({ prompt: directive({ tokens: 4 }), n: 2 }, '/v1/completions');
  await ask({ messages, temperature: 'hot' });
  await ask({ messages, model: 'nobody' });
  await ask({ messages: user(directive({ error_at: 2 })), stream: true });
  await post(`${conch.url}/v1/embeddings`, { model: 'vllm-embed', input: ['one two', 'three'] });
  await fetch(`${conch.url}/v1/nowhere/${Math.random()}`);
  const held = begin(
    conch.url + chat,
    {
      model: 'vllm-toy',
      messages: user(directive({ tokens: 50, hold_at: 6, tag: 'left' })),
      max_tokens: 40,
      stream: true,
    },
    { 'x-request-id': 'left' },
  );
  await held.until(' w6"');
  await held.leave();
  await countOf(conch.url, 'left', { until: 'cancelled' });
  await conch.logged(({ reqId }) => reqId === 'left');
}

beforeAll(async () => {
  conch = await startGateway('--triton-metrics-port', String(inject('triton').metricsPort));
  server = `127.0.0.1:${inject('triton').grpcPort}`;
  await traffic();
  families = await scrape(conch.url);
});
afterAll(() => conch.stop());

describe('/metrics after known traffic', () => {
  it('counts every request by route, model, status and code', () => {
    const counted = valuesOf(families, 'conch_requests_total');
    const row = (route: string, model: string, status: number, code = '') =>
      `code=${code} key= model=${model} route=${route} status=${status}`;
    const ready = row('/health/ready', '', 200);
    expect(counted[ready]).toBeGreaterThan(0);
    const { [ready]: _ready, [row('/health/ready', '', 503)]: _notReady, ...others } = counted;
    expect(others).toEqual({
      [row(chat, 'vllm-toy', 200)]: 3,
      [row('/v1/completions', 'vllm-toy', 200)]: 3,
      [row(chat, '', 400, 'invalid_request')]: 1,
      [row(chat, 'other', 404, 'model_not_found')]: 1,
      [row(chat, 'vllm-toy', 502, 'backend_error')]: 1,
      [row('/v1/embeddings', 'vllm-embed', 200)]: 1,
      [row('unknown', '', 404, 'not_found')]: 1,
      [row(chat, 'vllm-toy', 499, 'client_closed_request')]: 1,
    });
  });

  it('counts inferences by their outcome on each server', () => {
    const row = (model: string, outcome: string) => `model=${model} outcome=${outcome} server=${server}`;
    expect(valuesOf(families, 'conch_inferences_total')).toEqual({
      [row('vllm-toy', 'ok')]: 8,
      [row('vllm-toy', 'cancelled')]: 1,
      [row('vllm-toy', 'unknown')]: 1,
      [row('vllm-embed', 'ok')]: expect.any(Number),
    });
    expect(valuesOf(families, 'conch_inferences_running')).toEqual({
      [`model=vllm-toy server=${server}`]: 0,
      [`model=vllm-embed server=${server}`]: 0,
    });
    expect(valuesOf(families, 'conch_requests_running')).toEqual({
      'model=vllm-toy': 0,
      'model=other': 0,
      'model=vllm-embed': 0,
    });
  });

  it('counts the tokens of prompts and answers', () => {
    const output = valuesOf(families, 'conch_output_tokens_total');
    // 3 × 5 and its EOS, 2 × 2 × 4 and theirs, what came before the fault, before the client left, and the count itself.
    expect(output[`key= model=vllm-toy server=${server}`]).toBeGreaterThanOrEqual(3 * 5 + 4 * 4 + 2 + 6);
    expect(valuesOf(families, 'conch_input_tokens_total')[`key= model=vllm-embed server=${server}`]).toBeGreaterThan(0);
  });

  it('estimates what a client that left has saved by the limit of its request', () => {
    const saved = valuesOf(families, 'conch_saved_tokens_total');
    expect(saved).toEqual({ 'model=vllm-toy': expect.any(Number) });
    expect(saved['model=vllm-toy']).toBeGreaterThanOrEqual(33);
    expect(saved['model=vllm-toy']).toBeLessThanOrEqual(34);
  });

  it('times first tokens, tokens, phases and whole requests', () => {
    const location = `model=vllm-toy server=${server}`;
    // Three streams, that of the fault, and that of the client that left.
    expect(valuesOf(families, 'conch_time_to_first_token_seconds_count')).toEqual({ [location]: 5 });
    expect(valuesOf(families, 'conch_time_between_tokens_seconds_count')[location]).toBeGreaterThan(0);
    expect(valuesOf(families, 'conch_request_duration_seconds_count')[`model=vllm-toy route=${chat}`]).toBe(5);
    expect(valuesOf(families, 'conch_phase_duration_seconds_count')).toMatchObject({
      'model=vllm-toy phase=template': 5,
      'model=vllm-embed phase=tokenize': 1,
    });
  });

  it('tells of the process and its event loop', () => {
    const names = new Set(families.flatMap(({ samples }) => samples.map(([name]) => name)));
    for (const name of [
      'nodejs_eventloop_lag_p99_seconds',
      'process_resident_memory_bytes',
      'nodejs_heap_size_used_bytes',
    ])
      expect(names).toContain(name);
  });

  it("passes Triton's own metrics on under the name of the server", () => {
    expect(valuesOf(families, 'conch_triton_metrics_up')).toEqual({ [`server=${server}`]: 1 });
    // Prometheus's parser gives every counter this ending.
    const inferences = valuesOf(families, 'nv_inference_request_success_total');
    expect(inferences[`model=vllm-toy server=${server} version=1`]).toBeGreaterThan(0);
  });

  it('has everything that the dashboard asks for', async () => {
    const text = await (await fetch(`${conch.url}/metrics`)).text();
    const names = new Set(text.match(/^\w+/gm));
    const dashboard = readFileSync(inRoot('deploy/grafana/conch.json'), 'utf8');
    const requested = new Set(dashboard.match(/\b(?:conch|nodejs|process|nv)_[a-z0-9_]+/g));
    expect(requested.size).toBeGreaterThan(10);
    // Nothing waits and nothing is traced here.
    const absent = new Set(['conch_requests_waiting', 'conch_trace_spans_total']);
    expect([...requested].filter((name) => !names.has(name) && !absent.has(name))).toEqual([]);
  });
});

describe('the form of /metrics', () => {
  it('is OpenMetrics for a scraper that prefers it', async () => {
    const open = await scrape(conch.url, 'openmetrics');
    expect(open.find(({ name }) => name === 'conch_requests')?.type).toBe('counter');
    expect(valuesOf(open, 'conch_requests_total')).toMatchObject({
      [`code= key= model=vllm-toy route=${chat} status=200`]: 3,
    });
    const { headers } = await fetch(`${conch.url}/metrics`, {
      headers: { accept: 'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3' },
    });
    expect(headers.get('content-type')).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
  });

  it('is that of Prometheus for anybody else', async () => {
    const { headers } = await fetch(`${conch.url}/metrics`);
    expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  });
});

describe('a thousand names that nobody has', () => {
  it('add no series', async () => {
    const before = await seriesCount();
    for (let at = 0; at < 1000; at += 50)
      await Promise.all(
        Array.from({ length: 50 }, (_, one) =>
          post(
            `${conch.url}${chat}`,
            { model: `random-${at + one}`, messages: user('hello') },
            { authorization: `Bearer random-${at + one}`, 'x-request-id': `random-${at + one}` },
          ),
        ),
      );
    expect((await seriesCount()) - before).toBeLessThan(5);
  });
});

async function seriesCount(): Promise<number> {
  const text = await (await fetch(`${conch.url}/metrics`)).text();
  return text.split('\n').filter((line) => line.startsWith('conch_')).length;
}
