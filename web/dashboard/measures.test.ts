import { describe, expect, it } from 'vitest';
import { countsOf, measuresBetween } from './measures.ts';
import { ownSamples } from './metrics-text.ts';

/** Metrics after so many requests, each with ten tokens and its first one within a bound. */
const page = ({ requests = 0, failed = 0, within = {} as Record<string, number>, waiting = 0 }): string =>
  [
    '# HELP conch_requests_total Requests.',
    `conch_requests_total{route="/v1/chat/completions",model="m",status="200",code="",key=""} ${requests}`,
    `conch_requests_total{route="/v1/chat/completions",model="",status="400",code="invalid_request",key=""} ${failed}`,
    'conch_requests_total{route="/metrics",model="",status="200",code="",key=""} 900',
    'conch_requests_total{route="/v1/chat/completions",model="m",status="499",code="x",key=""} 0',
    `conch_output_tokens_total{model="m",server="a",key=""} ${requests * 10}`,
    ...Object.entries(within).map(
      ([bound, count]) => `conch_time_to_first_token_seconds_bucket{model="m",server="a",le="${bound}"} ${count}`,
    ),
    `conch_requests_waiting{model="m"} ${waiting}`,
    'conch_requests_running{model="m"} 3',
    'conch_requests_running{model="n"} 2',
    'nv_inference_count{model="m"} 12',
    '',
  ].join('\n');

describe('ownSamples', () => {
  it('reads names, labels with any text, and values', () => {
    const text = 'conch_workers 2\nconch_x{a="b \\"c\\" } \\\\ \\n",d=""} 1.5e3\nconch_y{} NaN\nother 1\n';
    expect([...ownSamples(text)]).toEqual([
      { name: 'conch_workers', labels: {}, value: 2 },
      { name: 'conch_x', labels: { a: 'b "c" } \\ \n', d: '' }, value: 1500 },
      { name: 'conch_y', labels: {}, value: Number.NaN },
    ]);
  });
});

describe('measuresBetween', () => {
  it('gives what happened per second', () => {
    const before = countsOf(page({ requests: 100, failed: 1, within: { '0.1': 50, '0.5': 50, '+Inf': 50 } }), 1000);
    const within = { '0.1': 60, '0.5': 70, '+Inf': 70 };
    const after = countsOf(page({ requests: 120, failed: 5, within, waiting: 4 }), 3000);
    expect(measuresBetween(before, after)).toEqual({
      at: 3000,
      requests: 12,
      errors: 2,
      tokens: 100,
      firstToken: 0.1,
      slowFirstToken: expect.closeTo(0.46, 10),
      waiting: 4,
      running: 5,
    });
  });

  it('counts from the start of a process that began anew', () => {
    const before = countsOf(page({ requests: 100 }), 0);
    const after = countsOf(page({ requests: 4 }), 1000);
    expect(measuresBetween(before, after)).toMatchObject({ requests: 4, tokens: 40 });
  });

  it('knows no time to the first token where there was none', () => {
    const counts = countsOf(page({ requests: 1, within: { '0.1': 1, '+Inf': 1 } }), 0);
    expect(measuresBetween(counts, { ...counts, at: 1000 })).toMatchObject({
      firstToken: undefined,
      slowFirstToken: undefined,
      requests: 0,
    });
  });

  it('gives the last bound for what lies beyond it', () => {
    const before = countsOf(page({ within: { '0.1': 0, '+Inf': 0 } }), 0);
    const after = countsOf(page({ within: { '0.1': 0, '+Inf': 2 } }), 1000);
    expect(measuresBetween(before, after).firstToken).toBe(0.1);
  });
});
