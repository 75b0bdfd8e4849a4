import { describe, expect, it } from 'vitest';
import { level, report, troubled } from '../../../test/support/bench-report.ts';
import type { Summary } from '../statistics.ts';
import { compareText, haveLevelsInCommon } from './compare.ts';
import { reportCsv } from './csv.ts';
import { rounded } from './figures.ts';
import { reportHtml } from './html.ts';
import { readReport } from './read-report.ts';
import type { Report, RequestMetric } from './report.ts';
import { reportText } from './text.ts';

/** A metric of the first level, which has all of them. */
function only(name: RequestMetric): Summary {
  return level(1).metrics[name] as Summary;
}

const embeddings: Report = {
  ...report,
  load: {
    ...report.load,
    endpoint: 'embeddings',
    streaming: false,
    duration_s: undefined,
    requests: 50,
    output_tokens: undefined,
    output_counted_by: undefined,
    input_tokens: 'of a file',
    extra: {},
  },
  levels: [
    {
      ...level(1),
      metrics: { request_latency: only('request_latency') },
      throughput: { request_throughput: 7 },
      timeline: [],
      distributions: {},
    },
  ],
};

describe('reportText', () => {
  it('is a table for each level', () => {
    expect(reportText(report)).toMatchSnapshot();
  });

  it('tells of errors, doubts, costs and an early end', () => {
    const failure = { pace: level(256).pace, reason: 'A process of the load generator ended early (SIGKILL).' };
    const notes = ['/tokenize failed.'];
    expect(reportText({ ...report, interrupted: true, levels: [troubled], notes, failure })).toMatchSnapshot();
  });

  it('leaves out what embeddings have not', () => {
    expect(reportText(embeddings)).toMatchSnapshot();
  });
});

describe('the delay of the event loop', () => {
  const delayed = (delay: number, metrics = level(1).metrics): string =>
    reportText({
      ...report,
      levels: [{ ...level(1), metrics, generator: { ...level(1).generator, loop_delay_p99_ms: delay } }],
    });

  it('is doubtful where it is a tenth of the time between tokens, or 5 ms', () => {
    expect(delayed(0.9)).not.toContain('Warning');
    expect(delayed(1.1)).toContain(
      'Warning: At 1 concurrent request, the event loop of the load generator was 1.10 ms late at p99,',
    );
    const whole = { request_latency: only('request_latency') };
    expect(delayed(4.9, whole)).not.toContain('Warning');
    expect(delayed(5.1, whole)).toContain('5.10 ms late at p99,');
  });
});

describe('reportCsv', () => {
  it('has a line for each metric of each level', () => {
    expect(reportCsv({ ...report, levels: [level(1), troubled] })).toMatchSnapshot();
  });
});

describe('reportHtml', () => {
  const html = reportHtml({ ...report, load: { ...report.load, model: '<b>&' } });

  it('needs nothing from another host', () => {
    expect([...html.matchAll(/(?:src|href|url\()/g)]).toEqual([]);
    expect(new Set(html.match(/https?:\/\/[^"<\s:]+/g))).toEqual(
      new Set(['http://localhost', 'http://www.w3.org/2000/svg']),
    );
  });

  it('has the plots of what was measured', () => {
    expect([...html.matchAll(/class="plot-title"[^>]*>([^<]+)</g)].map(([, title]) => title)).toEqual([
      'Time to first token: cumulative distribution',
      'Output tokens per second over time',
      'Latency by load',
      'Output tokens per second by load',
    ]);
    expect(reportHtml(embeddings)).not.toContain('plot-title');
  });

  it('draws levels in the order of their load, all in one unit', () => {
    const silent = { ...level(1), throughput: { request_throughput: 0 } };
    const plots = reportHtml({ ...report, levels: [level(4), silent, level(2)] }).split('<figure>');
    const throughput = plots.find((plot) => plot.includes('>Output tokens per second by load<')) ?? '';
    expect([...throughput.matchAll(/<title>([^<]+)</g)].map(([, title]) => title)).toEqual([
      'throughput: 2, 512',
      'throughput: 4, 1,024',
    ]);
    const latency = plots.find((plot) => plot.includes('>Latency by load<')) ?? '';
    expect([...latency.matchAll(/<title>Request latency p50: (\d)/g)].map(([, load]) => load)).toEqual(['1', '2', '4']);
  });

  it('escapes values as text', () => {
    expect(html).toContain('<h1>&lt;b&gt;&amp; at http://localhost:9000</h1>');
    expect(html).not.toContain('<b>');
    const [, data = ''] = /id="report">(.*)<\/script>/.exec(html) ?? [];
    expect((JSON.parse(data) as Report).load.model).toBe('<b>&');
  });

  it('is light or dark', () => {
    expect(html).toContain('<meta name="color-scheme" content="light dark">');
  });
});

describe('compareText', () => {
  const faster: Report = {
    ...report,
    date: '2026-11-16T12:00:00.000Z',
    version: '1.2.4',
    machine: { ...report.machine, cpus: 4 },
    interrupted: true,
    load: { ...report.load, url: 'http://other:9000', seed: 2, prompts_digest: 'fedcba9876543210' },
    levels: [
      {
        ...level(1),
        metrics: { ...level(2).metrics, request_latency: only('request_latency') },
        throughput: { output_token_throughput: 512, request_throughput: 2 },
        failed_count: 3,
        processes: troubled.processes,
      },
      level(8),
    ],
  };

  it('says what changed, which is better, and what cannot be compared', () => {
    expect(compareText({ a: { name: 'a.json', report }, b: { name: 'b.json', report: faster } })).toMatchSnapshot();
  });

  it('knows whether there is anything to compare', () => {
    const other = { ...report, levels: [level(3)] };
    expect(haveLevelsInCommon({ a: { name: 'a', report }, b: { name: 'b', report: faster } })).toBe(true);
    expect(haveLevelsInCommon({ a: { name: 'a', report }, b: { name: 'b', report: other } })).toBe(false);
  });
});

describe('readReport', () => {
  it('reads what was written', () => {
    expect(readReport(JSON.stringify(report))).toEqual(report);
  });

  it.each(['{}', 'null', '[]', 'no', '{"tool":"conch bench","format":2,"levels":[]}'])('refuses %s', (text) => {
    expect(readReport(text)).toBeUndefined();
  });
});

describe('rounded', () => {
  it.each([
    [0, '0.00'],
    [12.345, '12.35'],
    [123.45, '123.5'],
    [12_345.6, '12,346'],
  ])('%d is %s', (value, text) => {
    expect(rounded(value)).toBe(text);
  });
});
