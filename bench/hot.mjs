/**
 * What a request costs, by function: self time and allocated bytes of Conch's main thread under responses of one token, 32 at a time;
 * what a token costs, under longer responses.
 *
 *   node bench/hot.mjs [--seconds 6] [--top 25] [--streamed] [--streams 32] [--tokens 1] [--interval-ms 0] [--extra JSON] [--script dist/main.js]
 *   node bench/hot.mjs --streamed --streams 256 --tokens 128 --interval-ms 10
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { conch } from './contenders.mjs';
import { markdownTable } from './markdown.mjs';
import { runLoad } from './processes.mjs';
import { allocationTree, byModule, costs, ownJavaScript, ownSource, sumOf, timeTree } from './profile/costs.mjs';
import { probe } from './profile/probe-control.mjs';
import { withFresh } from './session.mjs';
import { warmUp } from './warm-up.mjs';

/** @import { Cost, CostNode } from './profile/costs.mjs' */

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '6' },
    top: { type: 'string', default: '25' },
    streamed: { type: 'boolean', default: false },
    streams: { type: 'string', default: '32' },
    tokens: { type: 'string', default: '1' },
    'interval-ms': { type: 'string', default: '0' },
    extra: { type: 'string' },
    script: { type: 'string', default: conch.script },
  },
});
const top = Number(values.top);
const load = { streams: Number(values.streams), tokens: Number(values.tokens), unstreamed: !values.streamed };
const what = load.tokens > 1 ? 'token' : 'request';

/**
 * A profile of Conch under the load, and how many requests it holds.
 * @param {'cpu' | 'heap'} kind
 */
async function profiled(kind) {
  const profiler = probe(kind);
  const contender = { ...conch, script: path.resolve(values.script), environment: profiler.environment };
  return await withFresh([contender], 0, async ({ gateways: [gateway], changeInterval }) => {
    if (gateway === undefined) throw new Error('Conch was not started');
    const { url, watched } = gateway;
    const pid = watched['gateway'] ?? 0;
    await warmUp([gateway], { ...load, cpuSeconds: 8, mostSeconds: 40, flags: { unstreamed: load.unstreamed } });
    changeInterval(Number(values['interval-ms']));
    await profiler.begin(pid);
    const extra = values.extra === undefined ? {} : { extra: values.extra, 'by-text': true };
    const window = { ...load, ...extra, seconds: Number(values.seconds), 'warmup-seconds': 0.2 };
    const { allRequests, processes } = await runLoad(url, window, watched);
    const profile = await profiler.end(pid);
    const { microsecondsPerRequest } = processes.gateway;
    return { profile, count: allRequests * load.tokens, microseconds: microsecondsPerRequest / load.tokens };
  });
}

/**
 * @param {string} title
 * @param {CostNode[]} tree
 * @param {{ count: number, unit: string, digits: number, total?: number }} options `count`: of requests or tokens; `total`: what one took, if the profile only gives shares
 */
function display(title, tree, { count, unit, digits, total }) {
  const self = costs(tree);
  const all = sumOf(self);
  const perOne = total ?? all / count;
  const row = (/** @type {number} */ amount, /** @type {string[]} */ words) => [
    ((amount / all) * perOne).toFixed(digits),
    `${((amount / all) * 100).toFixed(1)} %`,
    ...words,
  ];
  const functions = (/** @type {Cost[]} */ found) =>
    markdownTable([
      [unit, 'share', 'function', 'module:line of the built file'],
      ...found
        .slice(0, top)
        .map(({ name, module, line, amount }) => row(amount, [name, `${module}${line > 0 ? `:${line}` : ''}`])),
    ]);
  const each = (/** @type {number} */ amount) => ((amount / all) * perOne).toFixed(digits);
  const files = (/** @type {Cost[]} */ found) =>
    markdownTable([
      [unit, 'share', 'module', 'functions'],
      ...byModule(found)
        .slice(0, 2 * top)
        .map(([module, members]) => {
          const names = members.slice(0, 6).map(({ name, amount }) => `${name} ${each(amount)}`);
          return row(sumOf(members), [module, names.join(', ')]);
        }),
    ]);
  return [
    `## ${title}: ${perOne.toFixed(digits)} ${unit} per ${what}`,
    'By function, itself alone:',
    functions(self),
    "By function of Conch, with what it called of packages, of Node and of V8 (a function that Node's event loop or a package called counts alone):",
    functions(costs(tree, ownSource)),
    'By file of Conch, counted the same way:',
    files(costs(tree, ownSource)),
    'By any file, native functions with their callers:',
    files(costs(tree, ownJavaScript)),
  ].join('\n\n');
}

const cpu = await profiled('cpu');
const heap = await profiled('heap');
process.stdout.write(
  `${[
    `${cpu.count} ${what}s, ${cpu.microseconds.toFixed(1)} µs of CPU each in all threads, with the profiler on.`,
    display('CPU time', timeTree(cpu.profile), { ...cpu, unit: 'µs', digits: 1, total: cpu.microseconds }),
    display('Allocated', allocationTree(heap.profile), { ...heap, unit: 'bytes', digits: 0 }),
  ].join('\n\n')}\n`,
);
