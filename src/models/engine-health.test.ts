import { describe, expect, it } from 'vitest';
import { PlayedInference } from '../../test/support/played-inference.ts';
import { vllmContract } from '../contracts/vllm.ts';
import type { EngineFailure, EngineListener, EngineLocation, Engines } from '../kserve/engines.ts';
import { failedInference } from '../kserve/failed-inference.ts';
import { StreamError } from '../kserve/infer-codec.ts';
import { LocalResponse } from '../kserve/local-response.ts';
import type { ModelConfig } from '../kserve/messages.ts';
import type { InferenceServer, InferRequest, ResponseSink } from '../kserve/server.ts';
import { StatusError } from '../kserve/status.ts';
import type { FoundModel } from './discovery.ts';
import { EngineHealth } from './engine-health.ts';
import type { ModelRegistry } from './registry.ts';

const config = { backend: 'vllm', input: [], output: [], parameters: {} } as unknown as ModelConfig;
const foundModel = {
  name: 'm',
  version: '1',
  state: 'READY',
  reason: '',
  ready: { name: 'm', version: '1', config, basis: '', rows: {}, detection: { contract: vllmContract(config) } },
} as unknown as FoundModel;
const head = { model: 'm', version: '1', id: '', parameters: {}, outputs: [] };
const said = (text: string, final = true) => new StreamError(text, { ...head, final });
const deadText =
  'Error generating stream: EngineCore encountered an issue. See stack trace (above) for the root cause.';
const stubText = "Stub process 'm_0_0' is not healthy.";

/** Engines as one process knows them, and what it is told of them. */
function engines() {
  const events: unknown[] = [];
  const listeners: EngineListener[] = [];
  const known = new Map<string, EngineFailure>();
  const book: Engines = {
    listen: (listener) => listeners.push(listener),
    failureOf: ({ model }) => known.get(model),
    failed: () => [],
    fail: ({ model }, failure, isOwn) => {
      known.set(model, failure);
      events.push(['fail', model, failure.part, failure.by, isOwn]);
    },
    heal: ({ model }) => {
      if (known.delete(model)) events.push(['heal', model]);
    },
  };
  return { book, events, listeners };
}

/** A server that gives one response, or an error. */
function serverThat(outcome: () => 'response' | 'end' | Error, model: FoundModel = foundModel) {
  const sent: InferRequest[] = [];
  const stream = (request: InferRequest, sink: ResponseSink) => {
    sent.push(request);
    const step = outcome();
    if (step instanceof Error) return failedInference(step, sink);
    const response = new LocalResponse({ model: 'm', version: '1', id: '', outputs: [], final: true });
    return new PlayedInference(sink, { responses: step === 'response' ? [response] : [] });
  };
  const server = { name: 'gpu-1', stream } as unknown as InferenceServer;
  let looks = 0;
  const servers = () => {
    looks++;
    return [{ server, found: [model] }];
  };
  return { server, registry: { servers } as unknown as ModelRegistry, sent, looks: () => looks };
}

describe('a probe', () => {
  it.each([
    ['response', 'alive', []],
    [said('Error generating stream: The decoder prompt cannot be empty'), 'alive', []],
    [said(deadText), 'failed', [['fail', 'm', 'engine', 'probe', true]]],
    [said(stubText, false), 'failed', [['fail', 'm', 'stub', 'probe', true]]],
    [new StatusError('UNAVAILABLE', 'x', { unreachable: true }), 'unknown', []],
    [new StatusError('DEADLINE_EXCEEDED', 'x'), 'unknown', []],
    [said('Exceeds maximum queue size', false), 'unknown', []],
    ['end', 'unknown', []],
  ] as const)('that gets %s: the engine is %s', async (outcome, kind, expected) => {
    const { server, registry, sent } = serverThat(() => outcome);
    const { book, events } = engines();
    const health = new EngineHealth({ engines: book, registry, checkInterval: () => 0 });
    expect(await health.check({ server, model: 'm' })).toBe(kind);
    expect(events).toEqual(expected);
    expect(sent.map(({ id, model }) => [id, model])).toEqual([['conch-probe', 'm']]);
  });

  it('heals an engine that has failed, and is sent where requests wait in vain', async () => {
    let outcome: 'response' | Error = said(deadText);
    const { server, registry, sent } = serverThat(() => outcome);
    const { book, events, listeners } = engines();
    const health = new EngineHealth({ engines: book, registry, checkInterval: () => 0 });
    const location: EngineLocation = { server, model: 'm' };
    for (const listener of listeners) listener.onSilent?.(location);
    await health.check(location);
    expect(sent).toHaveLength(1);
    outcome = 'response';
    await health.check(location);
    expect(events.slice(-1)).toEqual([['heal', 'm']]);
  });

  it('is not sent to the embedded engine', async () => {
    const embedded = {
      ...foundModel,
      ready: { ...foundModel.ready, config: { ...config, backend: 'llamacpp' } },
    } as FoundModel;
    const { server, registry, sent } = serverThat(() => 'response', embedded);
    const { book } = engines();
    const health = new EngineHealth({ engines: book, registry, checkInterval: () => 0 });
    expect(await health.check({ server, model: 'm' })).toBe('unprobed');
    expect(sent).toEqual([]);
  });

  it('is sent to each engine in turn, but to those that have failed', async () => {
    const { registry, sent, looks } = serverThat(() => said(deadText));
    const { book, events } = engines();
    const health = new EngineHealth({ engines: book, registry, checkInterval: () => 1 });
    health.watch();
    await expect.poll(() => events).toEqual([['fail', 'm', 'engine', 'probe', true]]);
    const before = looks();
    await expect.poll(looks).toBeGreaterThan(before + 2);
    await health.close();
    expect(sent).toHaveLength(1);
  });
});
