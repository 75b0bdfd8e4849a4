import { expect, it } from 'vitest';
import { headline } from './lines.mjs';
import { machine, runsOf, settings } from './page/made-up-runs.mjs';
import { comparisonTable, detailTables } from './tables.mjs';

/** @param {string} table */
const rowsOf = (table) => table.split('\n').map((line) => line.replace(/ +/g, ' ').trim());

it('compares the first gateway with each of the others, line by line', () => {
  const runs = runsOf({
    'Conch, vLLM': { token: 10, request: 100, megabytes: 70 },
    'grpc-js gateway': { token: 40, request: 100, megabytes: 60 },
    'rust frontend': { token: 20, request: 90, megabytes: 20 },
  });
  const rows = rowsOf(comparisonTable({ settings, machine, runs }));
  expect(rows.slice(2)).toEqual([
    '| | Conch, vLLM | goal | grpc-js gateway | ratio (95 % interval) | rust frontend | ratio (95 % interval) |',
    expect.stringMatching(/^\| -+ /),
    '| token, paced, 256 streams (µs/token) | 10.0 | ≤ 11 µs/token: met | 40.0 | 0.25 (0.25 to 0.25) | 20.0 | 0.50 (0.50 to 0.50), goal 0.6: met |',
    '| request, unstreamed (µs/request) | 100 | ≤ 120 µs/request: met | 100 | 1.00 (1.00 to 1.00, noise) | 90 | 1.11 (1.11 to 1.11), goal 0.9: missed |',
    '| RSS, idle (MB) | 70 | ≤ 60 MB: missed | 60 | 1.17 (1.17 to 1.17) | 20 | 3.50 (3.50 to 3.50) |',
    '',
  ]);
  expect(rows[0]).toBe(
    "CPU time of the gateway's processes; medians of 2 rounds, one window in each. A ratio is the first gateway's figure as a share of the other's. Node v20.0.0, 2 cores.",
  );
});

it('says that a pace was not kept', () => {
  const runs = runsOf({
    'Conch, vLLM': { token: 10, request: 100, megabytes: 70 },
    slow: { token: 40, request: 100, megabytes: 60, rate: 1000 },
  });
  const table = comparisonTable({ settings, machine, runs });
  expect(table).toContain('| 0.25† (0.25 to 0.25)');
  expect(table).toContain('† One of the two carried less than 95 % of the paced tokens');
});

it('leaves out what a gateway has no figure for', () => {
  const runs = runsOf({ 'Conch, vLLM': { token: 10, request: 100, megabytes: 70 }, other: { megabytes: 60 } });
  expect(rowsOf(comparisonTable({ settings, machine, runs }))[4]).toBe(
    '| token, paced, 256 streams (µs/token) | 10.0 | ≤ 11 µs/token: met | | |',
  );
});

it('has a table of details for every load, with the columns that were measured', () => {
  const runs = runsOf({ 'Conch, vLLM': { token: 10, request: 100, megabytes: 70 } });
  expect(
    rowsOf(detailTables({ settings, machine, runs })).filter((line) => line !== '' && !line.includes('---')),
  ).toEqual([
    'Start, as seen by a client that asks every 20 ms',
    '| | RSS idle |',
    '| Conch, vLLM | 70 MB |',
    '256 streams, 10 ms between tokens, responses of 128 tokens',
    '| | µs/token | tokens/s |',
    '| Conch, vLLM | 10.00 | 25600 |',
    'Requests: 32 at a time, unstreamed, responses of 1 token',
    '| | µs/request |',
    '| Conch, vLLM | 100 |',
  ]);
});

it('has a headline for programs, with only what was measured', () => {
  const runs = runsOf({
    'Conch, vLLM': { token: 10, request: 100, megabytes: 70 },
    'grpc-js gateway': { token: 40, request: 100, megabytes: 60 },
  });
  expect(headline(runs)).toEqual({
    paced256_vs_grpcjs: 4,
    us_per_token_paced256: 10,
    us_per_request_unstreamed: 100,
  });
});

it('has lines for other numbers of streams too', () => {
  const runs = [1, 32].map((streams) => ({
    round: 1,
    window: 0,
    gateway: 'Conch, vLLM',
    scenario: `full${streams}`,
    result: { microsecondsPerToken: streams },
  }));
  expect(rowsOf(comparisonTable({ settings, machine, runs })).slice(4, 6)).toEqual([
    '| token, full speed, 1 stream (µs/token) | 1.0 | |',
    '| token, full speed, 32 streams (µs/token) | 32.0 | |',
  ]);
});
