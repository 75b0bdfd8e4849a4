import { describe, expect, it } from 'vitest';
import { retried } from '../request-watch.ts';
import { Labels } from './metrics/labels.ts';
import { Metrics } from './metrics/metrics.ts';
import { MeasuredRequest } from './request-record.ts';

const facts = { method: 'POST', path: '/v1/chat/completions', route: '/v1/chat/completions', headers: {} };
const good = { status: 200, code: undefined, hasDisconnected: false, key: 'alice' };

function measured(headers: Record<string, string> = {}) {
  const metrics = new Metrics();
  const labels = new Labels((name) => (name === 'toy' ? name : undefined));
  const request = new MeasuredRequest({ metrics, labels }, { ...facts, headers }, undefined);
  return { metrics, request };
}

function valuesOf(family: { json(): { values: readonly { value: number; labels: object }[] } }) {
  return family.json().values.map(({ labels, value }) => [Object.values(labels).join(' '), value]);
}

describe('MeasuredRequest', () => {
  it('counts requests, tokens and inferences, and tells the log of them', () => {
    const { metrics, request } = measured();
    request.setRequest('toy');
    expect(metrics.running.at('toy').value).toBe(1);
    request.begin('template')();
    const tally = { promptTokens: 7, completionTokens: 0, cachedTokens: 4, reasoningTokens: undefined };
    request.counts(tally);
    const inference = request.inference({ server: 'a:1', model: 'toy', maxTokens: 10 });
    expect(metrics.inferring.at('toy', 'a:1').value).toBe(1);
    inference.first();
    tally.completionTokens = 5;
    inference.end();
    expect(request.tokens()).toEqual({ prompt: 7, completion: 5 });
    expect(request.end(good)).toEqual({ server: 'a:1', key: 'alice', input_tokens: 7, output_tokens: 5 });
    expect(valuesOf(metrics.requests)).toEqual([['/v1/chat/completions toy 200  alice', 1]]);
    expect(valuesOf(metrics.inputTokens)).toEqual([['toy a:1 alice', 7]]);
    expect(valuesOf(metrics.cachedTokens)).toEqual([['toy a:1 alice', 4]]);
    expect(valuesOf(metrics.outputTokens)).toEqual([['toy a:1 alice', 5]]);
    expect(valuesOf(metrics.inferences)).toEqual([['toy a:1 ok', 1]]);
    expect(metrics.running.at('toy').value).toBe(0);
    expect(metrics.inferring.at('toy', 'a:1').value).toBe(0);
    expect(metrics.phases.at('template', 'toy').count).toBe(1);
  });

  it('reports the times and drafts of the engine', () => {
    const { metrics, request } = measured();
    request.setRequest('toy');
    const engineTimes = { queue: 1.25, prefill: 20, decode: 300 };
    request.inference({ server: 'a:1', model: 'toy', maxTokens: 10 });
    expect(request.timing()).not.toContain('engine');
    request.counts({
      promptTokens: 7,
      completionTokens: 5,
      draftTokens: 12,
      acceptedTokens: 9,
      engineTimes,
      cacheHitRate: 0.75,
    });
    const names = 'engine-queue;dur=1.3, engine-prefill;dur=20.0, engine-decode;dur=300.0, total;dur=';
    expect(request.timing()).toContain(names);
    request.end(good);
    expect(valuesOf(metrics.draftTokens)).toEqual([['toy a:1 alice', 12]]);
    expect(valuesOf(metrics.acceptedTokens)).toEqual([['toy a:1 alice', 9]]);
    const { sum: shares, count } = metrics.cacheHitRatio.at('toy', 'a:1');
    expect([shares, count]).toEqual([0.75, 1]);
    const phases = ['queue', 'prefill', 'decode'].map((phase) => metrics.engineTime.at(phase, 'toy', 'a:1'));
    expect(phases.map(({ sum, count }) => [sum, count])).toEqual([
      [0.00125, 1],
      [0.02, 1],
      [0.3, 1],
    ]);
  });

  it('weighs the time between writes by the tokens of each', () => {
    const { metrics, request } = measured();
    request.setRequest('toy');
    const tally = { promptTokens: 1, completionTokens: 1 };
    request.counts(tally);
    request.inference({ server: 'a:1', model: 'toy', maxTokens: undefined });
    request.flushed(performance.now());
    request.flushed(performance.now());
    tally.completionTokens = 5;
    request.flushed(performance.now());
    tally.completionTokens = 6;
    request.flushed(performance.now());
    expect(metrics.firstToken.at('toy', 'a:1').count).toBe(1);
    expect(metrics.betweenTokens.at('toy', 'a:1').count).toBe(5);
    expect(request.end(good)).toMatchObject({ ttft_ms: expect.any(Number) });
  });

  it('tells a retried inference, one that failed and one that was left apart', () => {
    const { metrics, request } = measured();
    request.setRequest('toy');
    const begin = (server: string) => request.inference({ server, model: 'toy', maxTokens: 20 });
    begin('a:1').end(retried);
    begin('b:1').end(Object.assign(new Error('gone'), { code: 'UNAVAILABLE' }));
    begin('b:1').end(new Error('odd'));
    const left = begin('b:1');
    request.counts({ promptTokens: 1, completionTokens: 8 });
    request.end({ status: 499, code: 'client_closed_request', hasDisconnected: true, key: undefined });
    left.end();
    left.end();
    expect(valuesOf(metrics.inferences)).toEqual([
      ['toy a:1 retried', 1],
      ['toy b:1 unavailable', 1],
      ['toy b:1 error', 1],
      ['toy b:1 cancelled', 1],
    ]);
    // One of four inferences with the same limit still ran: a quarter of what was generated is taken for its own.
    expect(valuesOf(metrics.savedTokens)).toEqual([['toy', 18]]);
  });

  it("hands the client's context on to the server", () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const { request } = measured({ traceparent });
    expect(request.inference({ server: 'a:1', model: 'toy', maxTokens: undefined }).headers).toEqual({ traceparent });
    expect(request.context).toEqual({ traceparent });
  });

  it('tells its times as Server-Timing has them', () => {
    const { request } = measured();
    request.begin('queue')();
    request.begin('template')();
    const inference = request.inference({ server: 'a:1', model: 'toy', maxTokens: undefined });
    inference.first();
    expect(request.timing()).toMatch(/^queue;dur=[\d.]+, template;dur=[\d.]+, first;dur=[\d.]+, total;dur=[\d.]+$/);
    inference.end();
    expect(request.timing()).toMatch(/, first;dur=[\d.]+, infer;dur=[\d.]+, total;dur=[\d.]+$/);
  });

  it('counts what goes on in the background as a request of its own', () => {
    const { metrics, request } = measured();
    request.setRequest('toy');
    const background = request.continuation();
    request.end(good);
    background.setRequest('toy');
    background.end({ ...good, key: undefined });
    expect(valuesOf(metrics.requests)).toEqual([
      ['/v1/chat/completions toy 200  alice', 1],
      ['background toy 200  ', 1],
    ]);
  });
});
