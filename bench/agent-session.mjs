/**
 * CPU time of Conch for a session of a coding agent, turn by turn: the requests of each client in the recordings of
 * test/agents, with a system prompt and tools of the recorded sizes. Every turn sends the whole conversation again with
 * one more tool call and its result, and the model responds with reasoning and a call. Conch tokenizes with a real
 * tokenizer. All threads of Conch count, and nothing else does.
 *
 *   node bench/agent-session.mjs [--tokens 50000] [--turns 30] [--sessions 5] [--contract tokens] [--only codex]
 *     [--against REF] [--profile] [--json]
 *
 * A session before the measured ones finds the length of results with which the last prompt has the tokens, and
 * compiles code, as in a server that has run for a while. The table has the medians of all sessions, for the last turns
 * that of five. --against measures another commit in turn with the working tree. --profile adds where the main thread
 * spends its time.
 */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Tokenizer } from 'tokenizers';
import { build } from '../scripts/lib/build.mjs';
import { install } from '../scripts/lib/install.mjs';
import { tokenizers } from '../scripts/lib/tokenizers.mjs';
import { cpuClock } from './agents/cpu-control.mjs';
import { AGENTS, agentSession } from './agents/sessions.mjs';
import { CONCH_SCRIPT } from './contenders.mjs';
import { markdownTable } from './markdown.mjs';
import { buildOfRef } from './other-ref.mjs';
import { LOGS, startGateway, startTokenServer } from './processes.mjs';
import { costs, ownSource, sumOf, timeTree } from './profile/costs.mjs';
import { probe } from './profile/probe-control.mjs';
import { sampleText } from './sample-text.mjs';

/** @import { Agent, AgentRequest } from './agents/sessions.mjs' */

const FAMILY = 'qwen3';
const MODEL = 'bench';
const WARM_SESSIONS = 2;
const REASONING_CHARACTERS = 400;
const FIRST_GUESS = 4000;
/** A collection of garbage falls on one turn or another. */
const LAST_TURNS = 5;
const PROMPT_TOKENS = /"(?:prompt_tokens|input_tokens|promptTokenCount)":(\d+)/g;

const { values } = parseArgs({
  options: {
    tokens: { type: 'string', default: '50000' },
    turns: { type: 'string', default: '30' },
    sessions: { type: 'string', default: '5' },
    contract: { type: 'string', default: 'tokens' },
    only: { type: 'string', multiple: true },
    against: { type: 'string' },
    profile: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const turns = Number(values.turns);

/** @param {number[]} numbers */
function median(numbers) {
  const sorted = numbers.toSorted((one, other) => one - other);
  return ((sorted[Math.floor((sorted.length - 1) / 2)] ?? 0) + (sorted[Math.ceil((sorted.length - 1) / 2)] ?? 0)) / 2;
}

/**
 * The file with the tokens of every response: reasoning and a call, as the family writes them.
 * @param {{ name: string, arguments: Record<string, unknown> }} call
 * @param {string} folder
 */
async function responseFile(call, folder) {
  const text = `<think>\n${sampleText(7, REASONING_CHARACTERS)}\n</think>\n\n<tool_call>\n${JSON.stringify(call)}\n</tool_call>`;
  const file = path.join(mkdtempSync(path.join(LOGS, 'response-')), 'tokens');
  const tokenizer = Tokenizer.fromFile(path.join(folder, 'tokenizer.json'));
  const bytes =
    values.contract === 'tokens'
      ? Buffer.from(Int32Array.from((await tokenizer.encode(text)).getIds()).buffer)
      : Buffer.from(text.padEnd(Math.ceil(text.length / 4) * 4));
  writeFileSync(file, bytes);
  return file;
}

/**
 * The family's chat template in a file of its own: gateways are started with another one.
 * @param {string} folder
 */
function templateFile(folder) {
  const { chat_template: template } = JSON.parse(readFileSync(path.join(folder, 'tokenizer_config.json'), 'utf8'));
  const file = path.join(LOGS, `${FAMILY}.jinja`);
  writeFileSync(file, template);
  return file;
}

/**
 * Sends a request as its client does.
 * @param {string} url
 * @param {AgentRequest} request
 */
async function send(url, { method, path: location, headers, body }) {
  const content = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(url + location, { method, headers, ...content });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${method} ${location}: ${response.status} ${text}`);
  return text;
}

/**
 * Sends a turn, checks that the call came back, and gives the tokens of its prompt.
 * @param {string} url
 * @param {AgentRequest} request
 * @param {string} name of the function
 */
async function sendTurn(url, request, name) {
  const text = await send(url, request);
  const tokens = [...text.matchAll(PROMPT_TOKENS)].at(-1)?.[1];
  if (!text.includes(`"name":"${name}"`) || tokens === undefined)
    throw new Error(`${request.path}: no call of ${name}, or no usage: ${text.slice(-1000)}`);
  return Number(tokens);
}

/**
 * A Conch for one client, which has served some sessions.
 * @param {Agent} agent
 * @param {{ name: string, script: string }} program
 * @param {string} folder of the tokenizer
 */
async function startMeasured(agent, { name, script }, folder) {
  const session = agentSession(agent, MODEL);
  const upstream = await startTokenServer(0, values.contract, { response: await responseFile(session.call, folder) });
  const clock = cpuClock();
  const profiler = values.profile ? probe('cpu') : undefined;
  const nodeOptions = [clock.environment.NODE_OPTIONS, profiler?.environment.NODE_OPTIONS ?? ''].join(' ');
  // Compiled code may name the files of another copy of this build.
  const uncompiled = profiler && { ...profiler.environment, NODE_DISABLE_COMPILE_CACHE: '1' };
  const environment = { ...clock.environment, ...uncompiled, NODE_OPTIONS: nodeOptions };
  const files = ['--tokenizer', `${MODEL}=${folder}`, '--chat-template', `${MODEL}=${templateFile(folder)}`];
  const flags = [...files, '--context-length', `${MODEL}=131072`, '--store', 'none'];
  const gateway = await startGateway({ name, script, flags, environment }, upstream.port);
  const cpu = await clock.connect();
  let served = 0;
  let characters = FIRST_GUESS;
  /** The CPU time of each turn, and the tokens of their prompts. */
  const run = async () => {
    const requests = session.turns({ session: served++, turns, characters });
    const before = await cpu.read();
    for (const request of session.before) await send(gateway.url, request);
    let last = await cpu.read();
    const preparation = last - before;
    const perTurn = [];
    const tokens = [];
    for (const request of requests) {
      tokens.push(await sendTurn(gateway.url, request, session.call.name));
      const now = await cpu.read();
      perTurn.push(now - last);
      last = now;
    }
    return { preparation, perTurn, tokens };
  };
  for (let warm = 0; warm < WARM_SESSIONS; warm++) {
    const { tokens } = await run();
    const [first = 0, last = 0] = [tokens[0], tokens.at(-1)];
    characters = Math.round((characters * (Number(values.tokens) - first)) / (last - first));
  }
  return {
    name,
    session,
    run,
    /** Where the main thread spends its time in a session: the functions, and the CPU time of all threads. */
    async profile() {
      await profiler?.begin(gateway.pid);
      const { perTurn } = await run();
      return { tree: timeTree(await profiler?.end(gateway.pid)), all: perTurn.reduce((sum, cpu) => sum + cpu, 0) };
    },
    async stop() {
      cpu.close();
      await gateway.stop();
      await upstream.stop();
    },
  };
}

/**
 * @typedef {{ preparation: number, perTurn: number[], tokens: number[] }} Run milliseconds before the first turn and in each, and the tokens of the prompts
 * @typedef {{ conch: Awaited<ReturnType<typeof startMeasured>>, runs: Run[] }} Measured
 */
/** @typedef {{ client: string, program: string, version: string, tools: number, requests: number, tokens: number, first: number, median: number, last: number, total: number }} Row */

/**
 * The medians of some sessions.
 * @param {Measured['conch']} measured
 * @param {Run[]} runs
 * @returns {Row}
 */
function rowOf({ name, session }, runs) {
  const perTurn = Array.from({ length: turns }, (_, turn) => median(runs.map((run) => run.perTurn[turn] ?? 0)));
  const totals = runs.map((run) => run.perTurn.reduce((sum, cpu) => sum + cpu, run.preparation));
  return {
    client: session.client,
    version: session.version,
    program: name,
    tools: session.tools,
    requests: session.before.length + turns,
    tokens: runs[0]?.tokens.at(-1) ?? 0,
    first: perTurn[0] ?? 0,
    median: median(perTurn),
    last: median(perTurn.slice(-LAST_TURNS)),
    total: median(totals),
  };
}

/**
 * The time of a profile by room of src/, in ms per turn.
 * @param {Awaited<ReturnType<Measured['conch']['profile']>>} profile
 */
function roomTable({ tree, all }) {
  /** @type {Map<string, number>} */
  const rooms = new Map();
  const found = costs(tree, ownSource);
  for (const { module, name, amount } of found) {
    const room = ownSource({ module, name, line: 0 }) ? path.dirname(module) : `Node and V8: ${name}`;
    rooms.set(room, (rooms.get(room) ?? 0) + amount / 1000);
  }
  const main = sumOf(found) / 1000;
  const largest = [...rooms].toSorted(([, one], [, other]) => other - one).slice(0, 14);
  const rows = [...largest, ['other threads', Math.max(0, all - main)], ['all', all]];
  return markdownTable([
    ['room', 'ms per turn'],
    ...rows.map(([room, time]) => [String(room), (Number(time) / turns).toFixed(2)]),
  ]);
}

/** @param {Row[]} rows */
function table(rows) {
  const heading = [
    'client',
    'API',
    'tools',
    'requests',
    'last prompt',
    'first',
    'median',
    `last ${LAST_TURNS}`,
    'session',
  ];
  const hasPrograms = new Set(rows.map(({ program }) => program)).size > 1;
  const cells = rows.map((row) => [
    `${row.client} ${row.version}`,
    AGENTS.find(({ client }) => client === row.client)?.api ?? '',
    String(row.tools),
    String(row.requests),
    `${row.tokens} tokens`,
    ...[row.first, row.median, row.last].map((cpu) => `${cpu.toFixed(1)} ms`),
    `${row.total.toFixed(0)} ms`,
    ...(hasPrograms ? [row.program] : []),
  ]);
  return markdownTable([hasPrograms ? [...heading, 'commit'] : heading, ...cells]);
}

await install();
await build();
const programs = [{ name: 'working tree', script: CONCH_SCRIPT }];
if (values.against !== undefined) {
  const { commit, script } = await buildOfRef(values.against, (line) => process.stderr.write(`${line}\n`));
  programs.push({ name: commit, script });
}
const folder = path.join(await tokenizers(), FAMILY);
const rows = [];
for (const agent of AGENTS.filter(({ client }) => values.only?.includes(client) ?? true)) {
  /** @type {Measured[]} */
  const measured = [];
  for (const program of programs) measured.push({ conch: await startMeasured(agent, program, folder), runs: [] });
  for (let round = 0; round < Number(values.sessions); round++)
    for (const { conch, runs } of round % 2 === 0 ? measured : measured.toReversed()) runs.push(await conch.run());
  for (const { conch, runs } of measured) {
    rows.push(rowOf(conch, runs));
    if (values.profile)
      process.stdout.write(`${agent.client}, ${conch.name}:\n${roomTable(await conch.profile())}\n\n`);
    await conch.stop();
  }
}
process.stdout.write(values.json ? `${JSON.stringify(rows)}\n` : `${table(rows)}\n`);
