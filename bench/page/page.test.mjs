import { describe, expect, it } from 'vitest';
import { gatewayResult } from './gateway-claims.mjs';
import { machine, runsOf, settings } from './made-up-runs.mjs';
import { MOST_LINES, pageOf } from './page.mjs';
import { tritonResult } from './triton-claims.mjs';

const claim = {
  title: 'A token costs nothing',
  text: 'It is free.',
  command: 'npm run bench',
  load: 'one stream.',
  image: { file: 'token.svg', alt: 'Cost of a token' },
};

const run = (
  /** @type {string} */ gateway,
  /** @type {string} */ scenario,
  /** @type {Record<string, number>} */ result,
) => [1, 2].map((round) => ({ round, window: 0, gateway, scenario, result }));

const runs = [
  ...runsOf({
    'Conch, vLLM': { token: 10, request: 100, megabytes: 50 },
    'grpc-js gateway': { token: 40, request: 200, megabytes: 60 },
  }),
  ...['Conch, vLLM', 'grpc-js gateway'].flatMap((gateway) => [
    ...run(gateway, 'full256', { microsecondsPerToken: 2 }),
    ...run(gateway, 'interval5', { microsecondsPerToken: 3.5 }),
    ...run(gateway, 'requests', { microsecondsPerRequest: 150 }),
    ...run(gateway, 'first1', { firstTokenAdded: 0.123 }),
    ...run(gateway, 'first64', { firstTokenAdded: 0.456 }),
    ...run(gateway, 'paced1', { rateAgainstDirect: 0.999 }),
    ...run(gateway, 'streams1000', { loopDelayP99: 4, peakMegabytes: 110 }),
    ...run(gateway, 'start', { readyMilliseconds: 280, idleMegabytes: 50 }),
  ]),
];

describe('the page', () => {
  it('has what each claim says, its command and its chart, and the machine of each run', () => {
    const page = pageOf([
      { machine, command: 'npm run bench', headline: { a: 1 }, summary: 'All in all.', claims: [claim] },
    ]);
    expect(page.split('\n').slice(6)).toEqual([
      '<!-- headline: {"a":1} -->',
      '',
      'All in all.',
      '',
      '## A token costs nothing',
      '',
      'It is free. `npm run bench`: one stream.',
      '![Cost of a token](benchmarks/token.svg)',
      '',
      '## Runs',
      '',
      '- `npm run bench`',
      '  2026-01-02 03:04 UTC, 2 × a processor, Node v20.0.0, load average 0.5 before it',
      '',
    ]);
  });

  it('says above all that a machine was busy', () => {
    const page = pageOf([{ machine: { ...machine, loadBefore: 3 }, command: 'npm run bench', claims: [claim] }]);
    expect(page).toContain('do not quote these figures.**\n\n## A token');
    expect(page).toContain('load average 3.0 before it (**busy**)');
  });

  it('wraps the text of a claim, but not within code', () => {
    const text = `${'word '.repeat(30)}\`a b c\``;
    const page = pageOf([{ machine, command: 'npm run bench', claims: [{ ...claim, text }] }]);
    const lines = page.split('\n');
    const at = lines.indexOf('## A token costs nothing');
    expect(lines.slice(at + 2, at + 4)).toEqual([
      'word '.repeat(24).trim(),
      `${'word '.repeat(6)}\`a b c\` \`npm run bench\`: one stream.`,
    ]);
  });

  it('has at most 150 lines, with every claim that there can be', () => {
    const { result } = gatewayResult({ settings, machine, runs });
    const others = [1, 6, 1, 1, 2].map((count) => ({
      machine,
      command: 'x',
      claims: Array.from({ length: count }, () => claim),
    }));
    expect(pageOf([result, ...others]).split('\n').length).toBeLessThanOrEqual(MOST_LINES);
    const many = { machine, command: 'x', claims: Array.from({ length: 30 }, () => claim) };
    expect(() => pageOf([many])).toThrow('docs/benchmarks.md would have 160 lines; at most 150 are allowed.');
  });
});

describe('a run of the gateway', () => {
  const { result, charts } = gatewayResult({ settings, machine, runs });

  it('says what it found', () => {
    expect(result.claims.map(({ title, text }) => `${title}. ${text}`)).toEqual([
      "A streamed token costs 10.0 µs. At a model's pace a token costs 25 % of what it costs the grpc-js gateway; at full speed, where tokens arrive together, 2.00 µs, 100 % of it.",
      "A request costs 100 µs. A streamed one costs 150 µs. That is 50 % and 100 % of the grpc-js gateway's, which checks, counts and logs nothing.",
      'The first token comes 0.12 ms later than without a gateway. At 64 streams it comes 0.46 ms later.',
      '1,000 streams need 110 MB of memory. A process that has served nothing yet holds 50 MB.',
      'At 1,000 streams the event loop is 4.0 ms late at the 99th percentile. That is how late a timer of 2 ms fires.',
      'Conch is ready 280 ms after its start. Ready means that it serves the model to a client that asks every 20 ms.',
    ]);
    expect(result.summary?.replace(/ +/g, ' ')).toContain(
      '| token, paced, 256 streams (µs/token) | 10.0 | 40.0 | 0.25 | ≤ 11 µs/token | met |',
    );
    expect(result.claims.map(({ load }) => load)).toEqual([
      '256 streams, responses of 128 tokens, 10 ms between tokens (paced) or as fast as they can be sent (full speed).',
      '32 at a time, responses of 1 token.',
      'responses of 2 tokens one after the other at 1 stream; of 32 tokens, 10 ms between them, at 64.',
      '1,000 streams, responses of 128 tokens, 40 ms between tokens.',
      '1,000 streams, responses of 128 tokens, 40 ms between tokens.',
      'median of 2 starts.',
    ]);
    expect(result.headline).toMatchObject({ paced256_vs_grpcjs: 4, full256_vs_grpcjs: 1 });
  });

  it('draws a chart for each claim', () => {
    expect(result.claims.map(({ image }) => image.file)).toEqual(Object.keys(charts).map((name) => `${name}.svg`));
    expect(charts['gateway-request']).toEqual({
      title: 'CPU time per request, responses of one token',
      x: { label: '', scale: 'linear', names: ['Conch, vLLM', 'grpc-js gateway'] },
      y: { label: 'µs per request', scale: 'linear' },
      kind: 'bars',
      series: [
        {
          name: 'unstreamed',
          points: [
            [0, 100],
            [1, 200],
          ],
        },
        {
          name: 'streamed',
          points: [
            [0, 150],
            [1, 150],
          ],
        },
      ],
    });
  });

  it('leaves out what was not measured', () => {
    const few = gatewayResult({ settings, machine, runs: runs.filter(({ scenario }) => scenario === 'start') });
    expect(few.result.claims.map(({ image }) => image.file)).toEqual(['gateway-memory.svg', 'gateway-start.svg']);
  });
});

it('a run through tritonserver says what share of the rate it had', () => {
  const { result, charts } = tritonResult({
    settings: { ...settings, tokens: 32 },
    machine,
    runs: [
      ...run('direct gRPC', 'paced256', { tokensPerSecond: 4000 }),
      ...run('Conch, vLLM', 'paced256', { tokensPerSecond: 3900, microsecondsPerToken: 33 }),
      ...run('Conch, vLLM', 'first1', { firstTokenAdded: 0.4 }),
    ],
  });
  expect(result.claims[0]?.title).toBe('Through tritonserver, Conch streams 98 % of the tokens of direct gRPC');
  expect(result.claims[0]?.text).toMatch(/^At 256 streams a token costs 33 µs: .* comes 0\.40 ms later/);
  expect(charts['triton-rate']?.series.map(({ name, points }) => [name, points])).toEqual([
    ['direct gRPC', [[0, 4000]]],
    ['Conch, vLLM', [[0, 3900]]],
  ]);
});
