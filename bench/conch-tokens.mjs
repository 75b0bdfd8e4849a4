/**
 * What a streamed token costs tritonserver and its Python stub: the contract of Triton's vLLM backend beside conch-tokens (python/conch_vllm). Both models
 * run the same imitated engine, which gives each request a token per interval, on the real tritonserver of the tests. They are loaded in turn, in the
 * other direction in every second round.
 *
 *   node bench/conch-tokens.mjs [--streams 256] [--tokens 256] [--requests 1] [--interval-ms 10] [--rounds 3] [--json]
 *
 * Every stream sends so many requests, one after the other. CPU time is that of all of them, user and system, from /proc. It includes the imitated engine
 * in the stub, whose cost is measured in a process of its own, and not the load client, which counts responses without decoding them.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { build } from '../scripts/lib/build.mjs';
import { inRoot } from '../scripts/lib/steps.mjs';
import { prepareTestCache } from '../scripts/lib/test-cache.mjs';
import { machineWords, thisMachine } from './machine.mjs';
import { markdownTable } from './markdown.mjs';
import { median } from './report.mjs';
import { bytesTensor, uint32, YES } from './token-server/tensors.mjs';
import { startTriton } from './triton-server.mjs';

/**
 * @typedef {'stock' | 'conch'} ModelName
 * @typedef {{ tokensPerSecond: number, responsesPerSecond: number, stub: number, server: number, client: number }} Figures CPU times in µs per token
 */

const USAGE = `Usage: node bench/conch-tokens.mjs [options]

  --streams N       streams at the same time (256)
  --tokens N        tokens per request (256)
  --requests N      requests per stream (1)
  --interval-ms N   time between two tokens of a stream (10)
  --rounds N        measurements of each model (3)
  --json            print the figures as JSON
`;
/** @type {readonly ModelName[]} */
const NAMES = ['stock', 'conch'];
const TITLES = { stock: 'vLLM backend', conch: 'conch-tokens' };
/** What Conch needs of a stream without logprobs. */
const OUTPUTS = { stock: ['text_output', 'finish_reason'], conch: ['token_ids', 'text', 'finish_reason', 'usage'] };
const PROMPT = 'Once upon a time';

const machine = thisMachine();
const { values } = parseArgs({
  options: {
    streams: { type: 'string', default: '256' },
    tokens: { type: 'string', default: '256' },
    requests: { type: 'string', default: '1' },
    'interval-ms': { type: 'string', default: '10' },
    rounds: { type: 'string', default: '3' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(USAGE);
  process.exit();
}
const [streams, tokens, requests] = [Number(values.streams), Number(values.tokens), Number(values.requests)];
const interval = Number(values['interval-ms']);
const total = streams * tokens * requests;

await build();
const { harness } = await import('./harness.mjs');

/** A repository with both models. */
function writeRepository() {
  const folder = mkdtempSync(path.join(tmpdir(), 'conch-bench-models-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const name of NAMES) {
    const version = path.join(folder, name, '1');
    mkdirSync(version, { recursive: true });
    const config = 'backend: "python"\ninstance_group [{ count: 1, kind: KIND_MODEL }]\n';
    writeFileSync(path.join(folder, name, 'config.pbtxt'), config);
    writeFileSync(path.join(version, 'model.json'), JSON.stringify({ interval_ms: interval }));
    const entry = name === 'stock' ? 'bench/conch-tokens/stock_model.py' : 'python/model.py';
    cpSync(inRoot(entry), path.join(version, 'model.py'));
    // Triton's stub does not read PYTHONPATH.
    cpSync(inRoot('test/support/fake_vllm/vllm'), path.join(version, 'vllm'), { recursive: true });
    cpSync(inRoot('bench/conch-tokens/async_llm.py'), path.join(version, 'vllm/v1/engine/async_llm.py'));
    if (name === 'conch') cpSync(inRoot('python/conch_vllm'), path.join(version, 'conch_vllm'), { recursive: true });
  }
  return folder;
}

/** @param {ModelName} name */
function messageFor(name) {
  const parameters = bytesTensor(JSON.stringify({ max_tokens: tokens }));
  const flags = ['stream', 'exclude_input_in_output', 'return_finish_reason'];
  const inputs =
    name === 'stock'
      ? [
          { name: 'text_input', datatype: /** @type {const} */ ('BYTES'), shape: [1], data: bytesTensor(PROMPT) },
          { name: 'sampling_parameters', datatype: /** @type {const} */ ('BYTES'), shape: [1], data: parameters },
          ...flags.map((flag) => ({ name: flag, datatype: /** @type {const} */ ('BOOL'), shape: [1], data: YES })),
        ]
      : [
          { name: 'input_ids', datatype: /** @type {const} */ ('INT32'), shape: [1], data: uint32(1) },
          { name: 'sampling_params', datatype: /** @type {const} */ ('BYTES'), shape: [1], data: parameters },
        ];
  return harness.encodeInferRequest({ model: name, id: 'bench', inputs, outputs: OUTPUTS[name] });
}

/**
 * All requests to one model.
 * @param {{ port: number, pid: number, stubs: Record<ModelName, number> }} triton
 * @param {ModelName} name
 * @returns {Promise<Figures>}
 */
async function measure({ port, pid, stubs }, name) {
  const client = new harness.GrpcClient({ host: '127.0.0.1', port });
  const message = messageFor(name);
  let responses = 0;
  const lane = async () => {
    for (let request = 0; request < requests; request++) {
      const error = await client.infer(message, () => {
        responses++;
      });
      if (error !== undefined) throw new Error(error);
    }
  };
  const snapshot = () => ({
    time: performance.now(),
    all: microsecondsOf(pid),
    stub: microsecondsOf(stubs[name]),
    others: NAMES.filter((other) => other !== name).reduce((sum, other) => sum + microsecondsOf(stubs[other]), 0),
    client: process.cpuUsage(),
  });
  const before = snapshot();
  await Promise.all(Array.from({ length: streams }, lane));
  const after = snapshot();
  await client.close();
  const seconds = (after.time - before.time) / 1000;
  const [stub, others] = [after.stub - before.stub, after.others - before.others];
  const { user, system } = process.cpuUsage(before.client);
  return {
    tokensPerSecond: total / seconds,
    responsesPerSecond: responses / seconds,
    stub: stub / total,
    server: (after.all - before.all - stub - others) / total,
    client: (user + system) / total,
  };
}

/** @param {number} pid */
const microsecondsOf = (pid) => harness.usageOf(pid)?.cpuMicroseconds ?? Number.NaN;

/**
 * The stub of each model, by the folder in its command line.
 * @param {number} pid
 * @returns {Record<ModelName, number>}
 */
function stubsOf(pid) {
  const commands = harness.processTree(pid).map((member) => ({
    member,
    words: readFileSync(`/proc/${member}/cmdline`, 'utf8').split('\0'),
  }));
  const stubOf = (/** @type {ModelName} */ name) => {
    const own = commands.find(
      ({ words }) => words[0]?.endsWith('triton_python_backend_stub') && words[1]?.includes(`/${name}/`),
    );
    if (own === undefined) throw new Error(`The model ${name} has no stub.`);
    return own.member;
  };
  return { stock: stubOf('stock'), conch: stubOf('conch') };
}

/**
 * CPU time per token of the imitated engine without Triton.
 * @param {string} repository
 * @returns {Promise<Record<ModelName, number>>}
 */
async function measureEngine(repository) {
  const { CONCH_TEST_PYTHON: python = '' } = await prepareTestCache();
  const flags = [path.join(repository, 'conch/1'), streams, tokens, requests, interval].map(String);
  return JSON.parse(
    execFileSync(python, [inRoot('bench/conch-tokens/engine_alone.py'), ...flags], { encoding: 'utf8' }),
  );
}

/** @param {{ rounds: Record<ModelName, Figures>[], engine: Record<ModelName, number> }} found */
function tableOf({ rounds, engine }) {
  const figure = (/** @type {ModelName} */ name, /** @type {(figures: Figures) => number} */ read) =>
    median(rounds.map((round) => read(round[name])));
  const cost = (/** @type {Figures} */ { stub, server }) => stub + server;
  const ratio = (/** @type {(name: ModelName, figures: Figures) => number} */ read) =>
    `${median(rounds.map((round) => read('stock', round.stock) / read('conch', round.conch))).toFixed(1)}×`;
  const row = (/** @type {string} */ title, /** @type {(figures: Figures) => number} */ read, digits = 1) => [
    title,
    ...NAMES.map((name) => figure(name, read).toFixed(digits)),
    '',
  ];
  return markdownTable([
    ['', ...NAMES.map((name) => TITLES[name]), 'ratio'],
    row(`tokens/s of ${Math.round((streams * 1000) / interval)}`, ({ tokensPerSecond }) => tokensPerSecond, 0),
    row('responses/s', ({ responsesPerSecond }) => responsesPerSecond, 0),
    row('stub µs/token', ({ stub }) => stub),
    row('tritonserver µs/token', ({ server }) => server),
    [...row('both µs/token', cost).slice(0, 3), ratio((_, figures) => cost(figures))],
    ['engine alone µs/token', ...NAMES.map((name) => engine[name].toFixed(1)), ''],
    [
      'both without the engine µs/token',
      ...NAMES.map((name) => figure(name, (figures) => cost(figures) - engine[name]).toFixed(1)),
      ratio((name, figures) => cost(figures) - engine[name]),
    ],
    row('load client µs/token', ({ client }) => client),
  ]);
}

const repository = writeRepository();
const engine = await measureEngine(repository);
const started = await startTriton({ repository, models: NAMES });
try {
  const triton = { ...started, stubs: stubsOf(started.pid) };
  for (const name of NAMES) await measure(triton, name);
  /** @type {Record<ModelName, Figures>[]} */
  const rounds = [];
  for (let round = 1; round <= Number(values.rounds); round++) {
    /** @type {any} */
    const found = {};
    for (const name of round % 2 === 1 ? NAMES : NAMES.toReversed()) {
      const figures = await measure(triton, name);
      found[name] = figures;
      const { tokensPerSecond, responsesPerSecond, stub, server } = figures;
      process.stderr.write(
        `round ${round}  ${TITLES[name]}: ${tokensPerSecond.toFixed(0)} tokens/s, ${responsesPerSecond.toFixed(0)} responses/s, ` +
          `${stub.toFixed(1)} + ${server.toFixed(1)} µs/token\n`,
      );
    }
    rounds.push(found);
  }
  process.stdout.write(
    values.json
      ? `${JSON.stringify({ machine, engine, rounds })}\n`
      : `${machineWords(machine)}\n\n${tableOf({ rounds, engine })}\n`,
  );
} finally {
  await started.stop();
}
