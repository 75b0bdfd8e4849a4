/** What a run of `npm run bench` says, for docs/benchmarks.md. */
import { baseline, conch } from '../contenders.mjs';
import { goalOf, headline, LINES, valueOf, verdict } from '../lines.mjs';
import { markdownTable } from '../markdown.mjs';
import { BEHIND, BEHIND_WORDS, compare, inRounds, paceMark, rounded } from '../report.mjs';

/**
 * @import { Line } from '../lines.mjs'
 * @import { Report, Run } from '../report.mjs'
 * @import { Chart, Claim, Result } from './page.mjs'
 */

/**
 * @typedef {object} Topic a claim before it is measured
 * @property {string} file
 * @property {string} only the part of the benchmark
 * @property {Record<string, string>} lines scenario and figure of each series, and its name in the chart
 * @property {string} axis
 * @property {string} chart the title of the chart
 * @property {(settings: Report['settings']) => string} load
 * @property {(value: (key: string) => string, ratio: (key: string) => string) => string} title
 * @property {(value: (key: string) => string, ratio: (key: string) => string) => string} text
 */

/** @type {Topic[]} */
const TOPICS = [
  {
    file: 'gateway-token',
    only: 'paced --only full --only interval',
    lines: {
      'paced256 microsecondsPerToken': 'paced',
      'full256 microsecondsPerToken': 'full speed',
      'interval5 microsecondsPerToken': 'paced, stream_interval 5',
    },
    axis: 'µs per token',
    chart: 'CPU time per streamed token, 256 streams',
    load: ({ tokens, intervalMilliseconds }) =>
      `256 streams, responses of ${tokens} tokens, ${intervalMilliseconds} ms between tokens (paced) or as fast as they can be sent (full speed).`,
    title: (value) => `A streamed token costs ${value('paced256 microsecondsPerToken')}`,
    text: (value, ratio) =>
      `At a model's pace a token costs ${ratio('paced256 microsecondsPerToken')} of what it costs the grpc-js gateway; at full speed, where tokens arrive together, ${value('full256 microsecondsPerToken')}, ${ratio('full256 microsecondsPerToken')} of it.`,
  },
  {
    file: 'gateway-request',
    only: 'requests',
    lines: { 'unstreamed microsecondsPerRequest': 'unstreamed', 'requests microsecondsPerRequest': 'streamed' },
    axis: 'µs per request',
    chart: 'CPU time per request, responses of one token',
    load: () => '32 at a time, responses of 1 token.',
    title: (value) => `A request costs ${value('unstreamed microsecondsPerRequest')}`,
    text: (value, ratio) =>
      `A streamed one costs ${value('requests microsecondsPerRequest')}. That is ${ratio('unstreamed microsecondsPerRequest')} and ${ratio('requests microsecondsPerRequest')} of the grpc-js gateway's, which checks, counts and logs nothing.`,
  },
  {
    file: 'gateway-first-token',
    only: 'first',
    lines: { 'first1 firstTokenAdded': '1 stream', 'first64 firstTokenAdded': '64 streams' },
    axis: 'ms added',
    chart: 'Time added to the first token',
    load: ({ intervalMilliseconds }) =>
      `responses of 2 tokens one after the other at 1 stream; of 32 tokens, ${intervalMilliseconds} ms between them, at 64.`,
    title: (value) => `The first token comes ${value('first1 firstTokenAdded')} later than without a gateway`,
    text: (value) => `At 64 streams it comes ${value('first64 firstTokenAdded')} later.`,
  },
  {
    file: 'gateway-memory',
    only: 'many',
    lines: { 'start idleMegabytes': 'idle', 'streams1000 peakMegabytes': '1,000 streams, at most' },
    axis: 'MB',
    chart: 'Resident memory',
    load: ({ tokens }) => `1,000 streams, responses of ${tokens} tokens, 40 ms between tokens.`,
    title: (value) => `1,000 streams need ${value('streams1000 peakMegabytes')} of memory`,
    text: (value) => `A process that has served nothing yet holds ${value('start idleMegabytes')}.`,
  },
  {
    file: 'gateway-loop',
    only: 'many',
    lines: { 'streams1000 loopDelayP99': 'p99' },
    axis: 'ms',
    chart: 'Delay of the event loop at 1,000 streams, 99th percentile',
    load: ({ tokens }) => `1,000 streams, responses of ${tokens} tokens, 40 ms between tokens.`,
    title: (value) =>
      `At 1,000 streams the event loop is ${value('streams1000 loopDelayP99')} late at the 99th percentile`,
    text: () => 'That is how late a timer of 2 ms fires.',
  },
  {
    file: 'gateway-start',
    only: 'start',
    lines: { 'start readyMilliseconds': 'ready' },
    axis: 'ms',
    chart: 'From the start of the process until it serves the model',
    load: ({ rounds }) => `median of ${rounds} starts.`,
    title: (value) => `Conch is ready ${value('start readyMilliseconds')} after its start`,
    text: () => 'Ready means that it serves the model to a client that asks every 20 ms.',
  },
];

/** @param {string} key */
function lineOf(key) {
  const line = LINES.find(({ scenario, figure }) => `${scenario} ${figure}` === key);
  if (line === undefined) throw new Error(`There is no line ${key}.`);
  return line;
}

/**
 * @param {Topic} topic
 * @param {Report} report
 * @returns {Chart | undefined} undefined where nothing of it was measured of Conch
 */
function chartOf({ lines, axis, chart }, { runs }) {
  const gateways = [...new Set(runs.map(({ gateway }) => gateway))];
  const series = Object.entries(lines).map(([key, name]) => ({
    name,
    points: gateways.flatMap((gateway, index) => {
      const value = valueOf(runs, lineOf(key), gateway);
      return value === undefined ? [] : [/** @type {const} */ ([index, Number(value.toPrecision(3))])];
    }),
  }));
  const measured = series.filter(({ points }) => points.some(([index]) => gateways[index] === conch.name));
  if (measured.length === 0) return undefined;
  const names = gateways.map((name) => name.replace(' ensemble', ''));
  return {
    title: chart,
    x: { label: '', scale: 'linear', names },
    y: { label: axis, scale: 'linear' },
    kind: 'bars',
    series: measured,
  };
}

/** @param {Topic} topic @param {Report} report @returns {Claim} */
function claimOf(topic, { runs, settings }) {
  const value = (/** @type {string} */ key) => {
    const line = lineOf(key);
    const found = valueOf(runs, line, conch.name);
    return found === undefined ? '(not measured)' : `${found.toFixed(line.digits)} ${line.unit.replace(/\/.*/, '')}`;
  };
  const ratio = (/** @type {string} */ key) => {
    const { scenario, figure } = lineOf(key);
    const found = compare(runs, { scenario, figure, gateway: conch.name, against: baseline.name });
    return found === undefined ? '(not measured)' : `${(found.ratio * 100).toFixed(0)} %`;
  };
  return {
    title: topic.title(value, ratio),
    text: topic.text(value, ratio),
    command: `npm run bench -- --only ${topic.only}`,
    load: topic.load(settings),
    image: { file: `${topic.file}.svg`, alt: topic.chart },
  };
}

/** @param {Report} report */
function summaryOf({ runs, settings }) {
  const cell = (/** @type {Line} */ line, /** @type {string} */ gateway) =>
    valueOf(runs, line, gateway)?.toFixed(line.digits) ?? '';
  const rows = LINES.filter((line) => valueOf(runs, line, conch.name) !== undefined).map((line) => {
    const { scenario, figure } = line;
    const pair = compare(runs, { scenario, figure, gateway: conch.name, against: baseline.name });
    const mark = paceMark(runs, scenario, [conch.name, baseline.name], settings);
    const reached = verdict(line, valueOf(runs, line, conch.name));
    return [
      `${line.title} (${line.unit})`,
      cell(line, conch.name),
      cell(line, baseline.name),
      pair === undefined ? '' : pair.ratio.toFixed(2) + mark,
      goalOf(line),
      reached === 'missed' ? '**missed**' : reached,
    ];
  });
  const table = markdownTable([['', 'Conch', 'grpc-js gateway', 'ratio', 'goal', ''], ...rows]);
  const note = table.includes(BEHIND) ? ` ${BEHIND_WORDS}` : '';
  return `Conch in front of a vLLM model, beside a minimal gateway of grpc-js (bench/grpcjs-gateway.mjs) in the same rounds: medians of ${inRounds(settings.rounds)}.${note}\n\n${table}`;
}

/**
 * @param {Report} report
 * @returns {{ result: Result & Report, charts: Record<string, Chart> }}
 */
export function gatewayResult(report) {
  const found = TOPICS.flatMap((topic) => {
    const chart = chartOf(topic, report);
    return chart === undefined ? [] : [{ topic, chart }];
  });
  return {
    result: {
      ...report,
      command: 'npm run bench',
      headline: rounded(headline(report.runs)),
      summary: summaryOf(report),
      claims: found.map(({ topic }) => claimOf(topic, report)),
    },
    charts: Object.fromEntries(found.map(({ topic, chart }) => [topic.file, chart])),
  };
}
