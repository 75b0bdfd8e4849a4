import { describe, expect, it } from 'vitest';
import { baseline, conch, inMeasuringOrder } from './contenders.mjs';
import { gatewayPage } from './gateway-page.mjs';
import { goalRows, headline } from './goals.mjs';
import { median, pairedRatio, ratioOf, summarize, table, titleOf } from './report.mjs';

/**
 * @param {number} round
 * @param {string} gateway
 * @param {string} scenario
 * @param {Record<string, number>} result
 */
const run = (round, gateway, scenario, result) => ({ round, gateway, scenario, result });

const machine = { begun: '2026-01-02T03:04:05.000Z', node: 'v20.0.0', cores: 2, model: 'a processor', loadBefore: 0.5 };
const settings = { tokens: 128, intervalMilliseconds: 10, rounds: 2, seconds: 2.5 };

/**
 * Two rounds in which Conch costs so many times less than the baseline.
 * @param {{ full: number, paced: number, requests: number, added: number, rate: number }} reached
 */
function runsWith({ full, paced, requests, added, rate }) {
  return [1, 2].flatMap((round) => [
    run(round, conch.name, 'full256', { microsecondsPerToken: 1, tokensPerSecond: 300_000, tokensPerRead: 100 }),
    run(round, conch.name, 'paced256', { microsecondsPerToken: 10, tokensPerSecond: 25_600, residentMegabytes: 99 }),
    run(round, conch.name, 'paced1', { microsecondsPerToken: 120, rateAgainstDirect: rate, tokensPerSecond: 99.5 }),
    run(round, conch.name, 'requests', { microsecondsPerRequest: 80 }),
    run(round, conch.name, 'first', { firstTokenAdded: added }),
    run(round, conch.name, 'start', { idleMegabytes: 70, readyMilliseconds: 250 }),
    run(round, baseline.name, 'full256', { microsecondsPerToken: full, tokensPerSecond: 30_000, tokensPerRead: 1.5 }),
    run(round, baseline.name, 'paced256', { microsecondsPerToken: 10 * paced, tokensPerSecond: 24_800 }),
    run(round, baseline.name, 'requests', { microsecondsPerRequest: 80 * requests }),
  ]);
}

describe('medians', () => {
  it('are the middle, or the mean of the two in the middle', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(median([])).toBeNaN();
  });

  it('are taken of every figure by gateway and scenario', () => {
    const runs = [run(1, 'a', 's', { x: 1, y: 5 }), run(2, 'a', 's', { x: 3 }), run(1, 'b', 's', { x: 9 })];
    expect(summarize(runs)).toEqual([
      { gateway: 'a', scenario: 's', median: { x: 2, y: 5 }, range: { x: [1, 3], y: [5, 5] } },
      { gateway: 'b', scenario: 's', median: { x: 9 }, range: { x: [9, 9] } },
    ]);
  });
});

describe('ratios', () => {
  it('compare within a pair, so that a slow moment of the machine counts for both', () => {
    // The medians alone would say 60 / 20.
    const pairs = [
      [{ x: 10 }, { x: 40 }],
      [{ x: 20 }, { x: 80 }],
      [{ x: 30 }, { x: 60 }],
    ];
    expect(pairedRatio(pairs, 'x')).toBe(4);
  });

  it('are those of rounds in which both were measured', () => {
    const what = { scenario: 's', figure: 'x', gateway: 'a', against: 'b' };
    const runs = [
      run(1, 'a', 's', { x: 1 }),
      run(2, 'a', 's', { x: 2 }),
      run(2, 'b', 's', { x: 8 }),
      run(3, 'b', 's', { x: 9 }),
    ];
    expect(ratioOf(runs, what)).toBe(4);
    expect(ratioOf(runs, { ...what, gateway: 'c' })).toBeUndefined();
    expect(ratioOf(runs, { ...what, figure: 'y' })).toBeUndefined();
  });
});

describe('the goals', () => {
  it('against the baseline are measured, those against others derived from what they once cost beside it', () => {
    const [rust, python, grpcjs] = goalRows({ full: 38.5, paced: 3, requests: 3.22 });
    expect(rust).toEqual({
      name: 'openai_trtllm (Rust)',
      derived: true,
      cells: [
        { goal: 5, scenario: 'full256', reached: expect.closeTo(7.95, 5), met: true },
        { goal: 1.5, scenario: 'paced256', reached: expect.closeTo((3 * 20.35) / 41.5, 5), met: false },
        { goal: 3, scenario: 'requests', reached: expect.closeTo(2.93, 5), met: false },
      ],
    });
    expect(python?.cells[0]).toEqual({ goal: 20, scenario: 'full256', reached: expect.closeTo(35, 5), met: true });
    expect(grpcjs).toEqual({
      name: baseline.name,
      derived: false,
      cells: [
        { goal: 20, scenario: 'full256', reached: 38.5, met: true },
        { goal: 3, scenario: 'paced256', reached: 3, met: true },
        { goal: 4, scenario: 'requests', reached: 3.22, met: false },
      ],
    });
  });

  it('stand on the page with what was reached, misses named', () => {
    const runs = runsWith({ full: 40, paced: 2, requests: 5, added: 0.3, rate: 0.985 });
    const page = gatewayPage({ date: '2026-01-02', settings, machine, runs }).replace(/ +/g, ' ');
    expect(page).toContain(
      `| ${baseline.name}, measured in this run | goal 20, reached 40: met | goal 3, reached 2.0: **missed** | goal 4, reached 5.0: met |`,
    );
    expect(page).toContain('at most 0.2 ms added; 0.30 ms: **missed**');
    expect(page).toContain('at least 98 % of direct gRPC; 98.5 %: met');
    expect(page).toContain(`| ${conch.name} | | | 1.00 (40×) | 120 | | 10.0 (2.0×) | 80.0 (5.0×) |`);
    expect(page).toContain(`| ${conch.name} | 300000 | 100.0 | 25600 | 99.5 | 98.5 % | 0.30 ms | 70 MB | 99 MB |`);
  });

  it('have a headline that programs read from the page', () => {
    const runs = runsWith({ full: 40, paced: 3, requests: 5, added: 0.1, rate: 1 });
    const [, json = ''] =
      /<!-- headline: (.*) -->/.exec(gatewayPage({ date: '2026-01-02', settings, machine, runs })) ?? [];
    expect(JSON.parse(json)).toEqual(headline(runs));
    expect(headline(runs)).toEqual({
      paced256_vs_grpcjs: 3,
      full256_vs_grpcjs: 40,
      ttft_added_ms: 0.1,
      throughput_vs_direct: 1,
      us_per_token_paced256: 10,
      us_per_request: 80,
    });
  });
});

describe('a pace that was not kept', () => {
  const at = (/** @type {number} */ rate) =>
    runsWith({ full: 40, paced: 3, requests: 5, added: 0.1, rate: 1 }).map((one) =>
      one.gateway === baseline.name && one.scenario === 'paced256'
        ? { ...one, result: { ...one.result, tokensPerSecond: rate } }
        : one,
    );
  const report = (/** @type {number} */ rate) => ({ date: '2026-01-02', settings, machine, runs: at(rate) });

  it('by either side marks their ratio, on the page, among the goals and in the table', () => {
    const page = gatewayPage(report(24_300));
    expect(page).toContain('10.0 (3.0×†)');
    expect(page).toContain('goal 3, reached 3.0†: met');
    expect(page).toContain('goal 20, reached 40: met');
    expect(page).toContain('† One of the two carried less than 95 % of the paced tokens');
    expect(table(report(24_300), baseline.name)).toContain('† One of the two carried less than 95 %');
  });

  it('is one of less than 95 %', () => {
    expect(gatewayPage(report(24_400))).not.toContain('†');
    expect(table(report(24_400), baseline.name)).not.toContain('†');
  });
});

it('the baseline is measured directly beside Conch, in whichever direction', () => {
  const [ensemble, tokens] = [
    { ...conch, name: 'ensemble' },
    { ...conch, name: 'tokens' },
  ];
  expect(inMeasuringOrder([conch, ensemble, tokens, baseline])).toEqual([conch, baseline, ensemble, tokens]);
  expect(inMeasuringOrder([ensemble, tokens])).toEqual([ensemble, tokens]);
});

describe('the table', () => {
  it('has a part for every load, with the ratio of each gateway', () => {
    const shown = table(
      {
        date: '2026-01-02',
        settings,
        machine,
        runs: runsWith({ full: 40, paced: 3, requests: 5, added: 0.1, rate: 1 }),
      },
      baseline.name,
    );
    expect(shown).toContain(titleOf('full256', settings));
    expect(shown).toMatch(/Conch, vLLM +40\.0 +1\.00 /);
    expect(shown).toMatch(/grpc-js gateway +1\.0 +40\.00 /);
  });

  it('names the load', () => {
    expect(titleOf('paced1', settings)).toBe('1 stream, 10 ms between tokens, answers of 128 tokens');
    expect(titleOf('full256', settings)).toBe('256 streams, full speed, answers of 128 tokens');
  });
});
