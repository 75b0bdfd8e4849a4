/**
 * What a token and a request take of the JavaScript engine, counted: bytes and objects allocated, promises and awaits, microtasks, ticks and immediates,
 * and calls of read and write. Every object is counted, none estimated.
 *
 *   node bench/count.mjs [--against REF] [--requests 96] [--streams 16] [--json]
 *
 * A request is a streamed response of one token. A token is what each further one takes: a response of 129 tokens less one of one token, over 128.
 * Paced, one token of a stream arrives in a turn of the event loop, as from a model; at full speed many arrive together.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { build } from '../scripts/lib/build.mjs';
import { install } from '../scripts/lib/install.mjs';
import { conch } from './contenders.mjs';
import { countTable, perToken } from './count/counts.mjs';
import { buildOfRef } from './other-ref.mjs';
import { runLoad } from './processes.mjs';
import { probe } from './profile/probe-control.mjs';
import { withFresh } from './session.mjs';
import { warmUp } from './warm-up.mjs';

/**
 * @import { Counted } from './count/counts.mjs'
 * @import { Measured } from './measure.mjs'
 */

const TOKENS = 129;
const PACE = 10;
const { values } = parseArgs({
  options: {
    against: { type: 'string' },
    requests: { type: 'string', default: '96' },
    streams: { type: 'string', default: '16' },
    json: { type: 'boolean', default: false },
  },
});
const load = { streams: Number(values.streams), seconds: 60, requests: Number(values.requests), 'warmup-seconds': 0 };

/**
 * Calls of read and write so far.
 * @param {number} pid
 */
function calls(pid) {
  const text = readFileSync(`/proc/${pid}/io`, 'latin1');
  const of = (/** @type {string} */ name) => Number(new RegExp(`^${name}: (\\d+)`, 'm').exec(text)?.[1] ?? Number.NaN);
  return { reads: of('syscr'), writes: of('syscw') };
}

/**
 * Everything that is counted of responses of a length, per response.
 * @param {Measured} gateway
 * @param {ReturnType<typeof probe>} counter
 * @param {number} tokens
 * @returns {Promise<Counted>}
 */
async function countResponses({ url, watched }, counter, tokens) {
  const pid = watched['gateway'] ?? 0;
  await counter.begin(pid);
  const before = calls(pid);
  const { allRequests } = await runLoad(url, { ...load, tokens }, {});
  const after = calls(pid);
  const counts = {
    ...(await counter.end(pid)),
    reads: after.reads - before.reads,
    writes: after.writes - before.writes,
  };
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, count / allRequests]));
}

/**
 * One kind of counts of a program, of a request and of tokens.
 * @param {string} script
 * @param {'objects' | 'promises'} kind
 */
async function countKind(script, kind) {
  const counter = probe(kind);
  // Objects that are allocated together would be counted as one.
  const contender = {
    ...conch,
    script,
    environment: counter.environment,
    nodeFlags: ['--no-turbo-allocation-folding'],
  };
  return await withFresh([contender], 0, async ({ gateways: [gateway], changeInterval }) => {
    if (gateway === undefined) throw new Error('Conch was not started');
    await warmUp([gateway], { streams: 64, tokens: 128, cpuSeconds: 3, mostSeconds: 20 });
    await warmUp([gateway], { streams: 32, tokens: 1, cpuSeconds: 1.5, mostSeconds: 10 });
    const request = await countResponses(gateway, counter, 1);
    const full = perToken(await countResponses(gateway, counter, TOKENS), request, TOKENS - 1);
    changeInterval(PACE);
    const single = await countResponses(gateway, counter, 1);
    const paced = perToken(await countResponses(gateway, counter, TOKENS), single, TOKENS - 1);
    return { 'token, paced': paced, 'token, full speed': full, request };
  });
}

/** @param {string} script */
async function countAll(script) {
  const [objects, promises] = [await countKind(script, 'objects'), await countKind(script, 'promises')];
  const what = /** @type {(keyof typeof objects)[]} */ (Object.keys(objects));
  // Hooks allocate, so the reads and writes are those of the other kind.
  return Object.fromEntries(what.map((name) => [name, { ...promises[name], ...objects[name] }]));
}

await install();
await build();
const programs = [{ name: 'working tree', script: conch.script }];
if (values.against !== undefined) {
  const { commit, script } = await buildOfRef(values.against, (line) => process.stderr.write(`${line}\n`));
  programs.push({ name: commit, script });
}
const found = [];
for (const { name, script } of programs) found.push({ name, counts: await countAll(script) });
process.stdout.write(values.json ? `${JSON.stringify(found)}\n` : `${countTable(found)}\n`);
