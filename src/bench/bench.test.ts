import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type BenchOptions, bench, workersFor } from './bench.ts';
import { CountError, type TokenCounter } from './token-counter.ts';

const closing: (() => void)[] = [];

afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const whole = JSON.stringify({ choices: [{ message: { content: 'one two' }, finish_reason: 'stop' }] });
const known = JSON.stringify({ ...JSON.parse(whole), usage: { prompt_tokens: 5, completion_tokens: 3 } });

/** A server that answers its first requests, and refuses those after them. */
async function serve(
  body: string,
  completed = Number.POSITIVE_INFINITY,
  onRequest: (body: string) => void = () => undefined,
  afterwards: 'refuse' | 'silent' = 'refuse',
): Promise<Pick<BenchOptions, 'target'>> {
  let count = 0;
  const server = http.createServer((request, response) => {
    let requested = '';
    request.setEncoding('utf8').on('data', (piece: string) => (requested += piece));
    request.on('end', () => {
      onRequest(requested);
      if (count++ < completed) response.end(body);
      else if (afterwards === 'refuse') response.writeHead(503).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  return { target: { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, headers: {} } };
}

const wordy: TokenCounter = { source: 'words', count: async (text) => text.split(' ').length };

/** Six requests of whole answers at one and at two. */
const common: Omit<BenchOptions, 'target'> = {
  version: '1.2.3',
  model: 'm',
  endpoint: 'chat',
  isStreaming: false,
  limitField: 'max_tokens',
  ignoresEnd: false,
  extra: {},
  paces: [1, 2].map((concurrency) => ({ kind: 'concurrency', concurrency })),
  extent: { requests: 6 },
  grace: 20_000,
  warmup: 1,
  timeout: 20_000,
  seed: 1,
  prompts: ['a b c'],
  output: { mean: 4, deviation: 0 },
  counter: undefined,
  takesUsage: false,
  watched: [],
  stop: new AbortController().signal,
  onProgress: () => undefined,
};

describe('bench', () => {
  it('sends every request, however many processes there are to send them', async () => {
    const { levels } = await bench({ ...common, ...(await serve(known)), workers: 2 });
    expect(levels.map(({ request_count: count, generator }) => [count, generator.processes])).toEqual([
      [6, 1],
      [6, 2],
    ]);
  });

  it('warms up every connection, with prompts that are not measured', async () => {
    const requested: string[] = [];
    const target = await serve(known, Number.POSITIVE_INFINITY, (body) => requested.push(body));
    const prompts = { count: 20, input: { mean: 9, deviation: 0 } };
    const paces = [{ kind: 'concurrency', concurrency: 12 }] as const;
    const { load, levels } = await bench({
      ...common,
      ...target,
      warmup: undefined,
      prompts,
      paces,
      extent: { requests: 20 },
    });
    expect([requested.length, load.prompts, levels[0]?.request_count]).toEqual([32, 20, 20]);
    expect(new Set(requested).size).toBe(32);
  });

  it('cuts off what is open when the time and its grace are over, and counts it', async () => {
    // The warm-up is answered, and nothing else.
    const target = await serve(known, 1, () => undefined, 'silent');
    const paces = common.paces.slice(0, 1);
    const { levels } = await bench({ ...common, ...target, paces, extent: { milliseconds: 300 }, grace: 100 });
    expect(levels).toMatchObject([{ request_count: 0, failed_count: 0, cut_count: 1 }]);
  });

  it('describes its prompts, so that two files can be distinguished', async () => {
    const target = await serve(known);
    const digests = [];
    for (const prompts of [['a b'], ['a b'], ['a c']])
      digests.push(
        (await bench({ ...common, ...target, prompts, paces: common.paces.slice(0, 1) })).load.prompts_digest,
      );
    expect(digests[0]).toBe(digests[1]);
    expect(digests[0]).not.toBe(digests[2]);
  });

  it('tells every step that takes its time, from its beginning to its end', async () => {
    const received = new Map<string, number[]>();
    const onProgress = (step: string, share: number): void => {
      received.set(step, [...(received.get(step) ?? []), share]);
    };
    await bench({ ...common, ...(await serve(known)), counter: wordy, onProgress });
    expect([...received].map(([step, shares]) => [step, shares[0], shares.at(-1)])).toEqual([
      ['prompts', 0, 1],
      ['1 concurrent request: warm-up', 0, 1],
      ['1 concurrent request', 0, 1],
      ['1 concurrent request: counting', 0, 1],
      ['2 concurrent requests: warm-up', 0, 1],
      ['2 concurrent requests', 0, 1],
      ['2 concurrent requests: counting', 0, 1],
    ]);
    for (const shares of received.values()) expect(shares).toEqual(shares.toSorted((one, other) => one - other));
  });

  it('keeps what was measured before a level that cannot be', async () => {
    const { levels, failure } = await bench({ ...common, ...(await serve(known, 7)) });
    expect(levels.map(({ request_count: count }) => count)).toEqual([6]);
    expect(failure?.pace).toEqual({ kind: 'concurrency', concurrency: 2 });
    expect(failure?.reason).toMatch(/^All 1 warm-up requests failed\.\n {2}1 × HTTP 503: /);
  });

  it('refuses a load of which nothing can be measured', async () => {
    await expect(bench({ ...common, ...(await serve(known, 0)) })).rejects.toThrow(/^All 1 warm-up requests/);
  });

  it('takes the usage where a counter counts no longer, and says from where on', async () => {
    let counted = 0;
    const counter: TokenCounter = {
      source: 'words',
      count: async (text) => {
        // The prompt, the six answers of the first level, and some of the second.
        if (++counted > 10) throw new CountError('/tokenize failed (ECONNREFUSED)');
        return wordy.count(text);
      },
    };
    const { levels, load, notes } = await bench({ ...common, ...(await serve(known)), counter });
    expect(
      levels.map(({ metrics }) => [metrics.input_sequence_length?.avg, metrics.output_sequence_length?.avg]),
    ).toEqual([
      [3, 2],
      [5, 3],
    ]);
    expect(load.output_counted_by).toBe('words');
    expect(notes).toEqual([
      '/tokenize failed (ECONNREFUSED): text is not counted from 2 concurrent requests on. Token counts are the usage that the server reports.',
    ]);
  });

  it('makes prompts without a counter that fails at once', async () => {
    const counter: TokenCounter = { source: 'words', count: () => Promise.reject(new CountError('It broke')) };
    const { load, notes } = await bench({ ...common, ...(await serve(known)), counter });
    expect([load.output_counted_by, notes]).toEqual([
      "the server's usage",
      ['It broke: prompt lengths are in words instead of tokens. Token counts are the usage that the server reports.'],
    ]);
  });

  it('reports no lengths that the server does not report', async () => {
    const { levels, load } = await bench({ ...common, ...(await serve(whole)) });
    expect(levels.map(({ metrics }) => Object.keys(metrics))).toEqual([['request_latency'], ['request_latency']]);
    expect(levels.map(({ throughput }) => Object.keys(throughput))).toEqual([
      ['request_throughput'],
      ['request_throughput'],
    ]);
    expect([load.input_counted_by, load.output_counted_by]).toEqual([
      'none: the server does not report usage for every request',
      'none: the server does not report usage for every request, and responses are not streamed',
    ]);
  });
});

describe('workersFor', () => {
  it('has no process without a request of its own', () => {
    expect(workersFor({ kind: 'concurrency', concurrency: 1 }, 2)).toBe(1);
    expect(workersFor({ kind: 'concurrency', concurrency: 8 }, 2)).toBe(2);
    expect(workersFor({ kind: 'rate', perSecond: 1, arrival: 'constant', seed: 1 }, 2)).toBe(2);
  });
});
