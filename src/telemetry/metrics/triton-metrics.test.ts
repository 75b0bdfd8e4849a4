import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { readTritonMetrics } from './triton-metrics.ts';

const servers: Server[] = [];

async function serving(text: string): Promise<string> {
  const server = createServer((_request, response) => response.end(text)).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`;
}

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

const page = `# HELP nv_requests How many
# TYPE nv_requests counter
nv_requests{model="a",version="1"} 7
nv_requests 1e3 1700000000
# TYPE nv_time histogram
nv_time_bucket{le="1"} 2
nv_time_bucket{le="+Inf"} 3
nv_time_sum 4.5
nv_time_count 3
process_cpu_seconds_total 1
conch_requests_total{server="theirs"} 2
broken{model="a} 1
no value
evil{a="1"} 1 # {} 2
`;

describe('readTritonMetrics', () => {
  it('puts the same families of several servers together under their names', async () => {
    const metrics = await readTritonMetrics([
      { server: 'one', url: await serving(page) },
      { server: 'two"\n', url: await serving('# TYPE nv_requests counter\nnv_requests{model="b"} 9\n') },
    ]);
    expect(metrics.text('prometheus')).toBe(`# HELP nv_requests How many
# TYPE nv_requests counter
nv_requests{server="one",model="a",version="1"} 7
nv_requests{server="one"} 1e3
nv_requests{server="two\\"\\n",model="b"} 9
# TYPE nv_time histogram
nv_time_bucket{server="one",le="1"} 2
nv_time_bucket{server="one",le="+Inf"} 3
nv_time_sum{server="one"} 4.5
nv_time_count{server="one"} 3
# TYPE triton_process_cpu_seconds_total untyped
triton_process_cpu_seconds_total{server="one"} 1
# TYPE triton_conch_requests_total untyped
triton_conch_requests_total{server="one",exported_server="theirs"} 2
`);
    expect(metrics.up.values).toEqual([
      { labels: { server: 'one' }, value: 1 },
      { labels: { server: 'two"\n' }, value: 1 },
    ]);
  });

  it('gives each name a family without a type in OpenMetrics', async () => {
    const metrics = await readTritonMetrics([{ server: 'one', url: await serving(page) }]);
    expect(metrics.text('openmetrics')).toContain(
      '# TYPE nv_time_bucket unknown\nnv_time_bucket{server="one",le="1"} 2\n',
    );
  });

  it('says which servers it could not ask', async () => {
    const large = `# ${'x'.repeat(5 * 2 ** 20)}\n`;
    const metrics = await readTritonMetrics([
      { server: 'down', url: 'http://127.0.0.1:1/metrics' },
      { server: 'large', url: await serving(large) },
    ]);
    expect(metrics.text('prometheus')).toBe('');
    expect(metrics.up.values.map(({ value }) => value)).toEqual([0, 0]);
  });
});
