import { describe, expect, it } from 'vitest';
import { expositionFor } from './exposition.ts';
import { Labels } from './labels.ts';
import { Metrics } from './metrics.ts';
import { MetricsReader } from './read-metrics.ts';
import type { ServerState } from './server-states.ts';

function reader(fill: (metrics: Metrics) => void, seen: Partial<ServerState> = {}): MetricsReader {
  const metrics = new Metrics();
  fill(metrics);
  const state = {
    name: 'a:1',
    connection: 'closed',
    ejectedFor: 10,
    weight: 0.5,
    models: new Map([['toy', 'open']]),
    failedEngines: new Map(),
    engineFailures: new Map(),
    ...seen,
  };
  const tokens = { cached: 90, encoded: 10 };
  return new MetricsReader({
    metrics,
    version: '1.2.3',
    servers: () => [state],
    tritons: () => [],
    tokens: () => tokens,
  });
}

function own(text: string): string[] {
  return text.split('\n').filter((line) => line.startsWith('conch_'));
}

describe('MetricsReader', () => {
  it('puts the metrics of several processes together', async () => {
    const parts = [1, 2].map((times) =>
      reader(({ requests, firstToken, running }) => {
        requests.at('/v1/models', '', '200', '', 'k"1').add(times);
        firstToken.at('toy', 'a:1').observe(0.02, times);
        running.at('toy').add();
      }),
    );
    const lists = await Promise.all(parts.map((part) => part.json()));
    // As they come from other processes.
    const sent = JSON.parse(JSON.stringify(lists)) as typeof lists;
    const { text, contentType } = await reader(() => undefined).merged(sent, 'text/plain');
    expect(contentType).toBe('text/plain; version=0.0.4; charset=utf-8');
    const lines = own(text);
    expect(lines).toContain('conch_requests_total{route="/v1/models",model="",status="200",code="",key="k\\"1"} 3');
    expect(lines).toContain('conch_time_to_first_token_seconds_bucket{model="toy",server="a:1",le="0.01"} 0');
    expect(lines).toContain('conch_time_to_first_token_seconds_bucket{model="toy",server="a:1",le="0.025"} 3');
    expect(lines).toContain('conch_time_to_first_token_seconds_bucket{model="toy",server="a:1",le="+Inf"} 3');
    expect(lines).toContain('conch_time_to_first_token_seconds_sum{model="toy",server="a:1"} 0.06');
    expect(lines).toContain('conch_requests_running{model="toy"} 2');
    expect(lines).toContain('conch_server_available{server="a:1"} 0');
    expect(lines).toContain('conch_server_weight{server="a:1"} 0.5');
    expect(lines).toContain('conch_server_breaker{server="a:1",model="toy",state="open"} 1');
    expect(lines).toContain('conch_tokenizer_tokens_total{source="cache"} 180');
    expect(lines).toContain('conch_tokenizer_tokens_total{source="tokenizer"} 20');
    expect(lines).toContain('conch_build_info{version="1.2.3"} 1');
  });
});

describe('MetricsReader, of what processes see differently', () => {
  it('shows the worst: of servers, breakers, and event loops', async () => {
    const nothing = (): void => undefined;
    const well = { ejectedFor: 0, weight: 1, models: new Map([['toy', 'closed']]) };
    const bad = { ejectedFor: 10, weight: 0.5, models: new Map([['toy', 'half-open']]) };
    const lists = await Promise.all([well, bad, well].map((seen) => reader(nothing, seen).json()));
    const lag = 'nodejs_eventloop_lag_p99_seconds';
    const parts = lists.map((list, at) =>
      list.map((metric) => (metric.name === lag ? { ...metric, values: [{ labels: {}, value: at + 1 }] } : metric)),
    );
    const { text } = await reader(nothing).merged(parts, undefined);
    const lines = text.split('\n').filter((line) => line.startsWith('conch_server_') || line.startsWith(lag));
    expect(lines).toEqual([
      'conch_server_available{server="a:1"} 0',
      'conch_server_weight{server="a:1"} 0.5',
      'nodejs_eventloop_lag_p99_seconds 3',
      'conch_server_breaker{server="a:1",model="toy",state="half-open"} 1',
    ]);
  });
});

describe('Labels', () => {
  it('are bounded, whatever the names are', () => {
    const labels = new Labels((name) => (name.startsWith('served') ? name : undefined));
    const names = Array.from({ length: 1000 }, (_, at) => `served-${at}`);
    expect(new Set(names.map((name) => labels.model(name))).size).toBe(501);
    expect(new Set(names.map((name) => labels.key(name))).size).toBe(201);
    expect(new Set(names.map((name) => labels.server(name))).size).toBe(201);
    expect(labels.model('served-1')).toBe('served-1');
    expect(labels.model('nobody')).toBe('other');
  });
});

describe('expositionFor', () => {
  it.each([
    [undefined, 'prometheus'],
    ['*/*', 'prometheus'],
    ['text/plain;version=0.0.4', 'prometheus'],
    ['application/openmetrics-text', 'openmetrics'],
    ['application/openmetrics-text;version=0.0.1', 'prometheus'],
    ['application/openmetrics-text;version=1.0.0;q=0.6,text/plain;version=0.0.4;q=0.5,*/*;q=0.1', 'openmetrics'],
    ['application/openmetrics-text;q=0.1,text/plain;q=0.9', 'prometheus'],
  ])('reads %s as a wish for %s', (accept, form) => {
    expect(expositionFor(accept)).toBe(form);
  });
});
