import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { CommandInput } from '../config/load.ts';
import { guardedGuide } from '../generate/guide-guard.ts';
import { StatusError } from '../kserve/status.ts';
import { SingleProcessLink } from '../link.ts';
import { Metrics } from '../telemetry/metrics/metrics.ts';
import { createTelemetry } from '../telemetry/telemetry.ts';
import { openGuideGuard } from './guide-guard.ts';
import { LiveSettings } from './live-settings.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 1, 12) });
});
afterEach(() => {
  vi.useRealTimers();
});

const settings = { models: {}, tritonModel: [], guideQuarantine: 600_000 } as unknown as CommandInput['settings'];

function open() {
  const lines: unknown[] = [];
  const metrics = new Metrics();
  const telemetry = createTelemetry({
    metrics,
    version: '1.2.3',
    servers: () => [],
    tritons: () => [],
    tokens: () => ({ cached: 0, encoded: 0 }),
    servedAs: (name) => name,
    tracing: undefined,
  });
  const live = new LiveSettings(settings);
  const guides = openGuideGuard({
    live,
    link: new SingleProcessLink(),
    logger: { warn: (...line: unknown[]) => lines.push(line) },
    telemetry,
  });
  /** An engine fails after a guide of this client. */
  const fail = (regex: string, server: string): void =>
    guardedGuide({
      model: { name: 'llama', model: 'llama3', contract: { guidesMayEndEngine: true } as never },
      structure: { structure: { regex }, field: 'guided_regex' },
      client: 'key:alice',
      guides,
    })?.ended(new StatusError('INTERNAL', "Stub process 'llama3_0_0' is not healthy."), { name: server }, false);
  const counted = () => [metrics.quarantinedGuides, metrics.suspendedClients].map((family) => family.json().values);
  return { lines, live, fail, counted };
}

it('logs and counts a guide in quarantine, and a client that is suspended', () => {
  const { lines, fail, counted } = open();
  fail(String.raw`\p{L}`, 'one:8001');
  const quarantined = {
    hash: expect.stringMatching(/^[0-9a-f]{12}$/) as string,
    guide: String.raw`{"regex":"\\p{L}"}`,
    model: 'llama',
    server: 'one:8001',
    client: 'key:alice',
    until: '2026-01-01T12:10:00.000Z',
  };
  const text = 'an engine failed after a structured-output guide; the guide is quarantined';
  expect(lines.splice(0)).toEqual([[quarantined, text]]);
  expect(counted()).toEqual([[{ labels: { model: 'llama' }, value: 1 }], []]);
  fail('b', 'two:8001');
  expect(lines).toEqual([
    [{ ...quarantined, guide: '{"regex":"b"}', server: 'two:8001' }, text],
    [
      { client: 'key:alice', until: '2026-01-01T12:01:00.000Z' },
      'a client is suspended from structured output: several engines failed after its guides',
    ],
  ]);
  expect(counted()).toEqual([[{ labels: { model: 'llama' }, value: 2 }], [{ labels: { model: 'llama' }, value: 1 }]]);
});

it('follows the setting while Conch runs', () => {
  const { lines, live, fail } = open();
  live.replace({ ...settings, guideQuarantine: 0 });
  fail('a', 'one:8001');
  expect(lines).toEqual([]);
});
