/**
 * What the optional outputs of Triton's vLLM backend cost it: responses per second of the real tritonserver, and CPU time of its Python stub per response,
 * by the outputs that a request asks for. First straight at Triton, then through Conch, which asks for all three where a stream wants usage. All are
 * measured in every round, in the other direction in every second one.
 *
 *   node bench/triton-outputs.mjs [--streams 64] [--tokens 128] [--seconds 3] [--rounds 5] [--json]
 *
 * The model is imitated in Python (test/support/toy_vllm), and its stub is the limit.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { build } from '../scripts/lib/build.mjs';
import { prepareTestCache } from '../scripts/lib/test-cache.mjs';
import { conch } from './contenders.mjs';
import { machineWords, thisMachine } from './machine.mjs';
import { markdownTable } from './markdown.mjs';
import { runLoad, startGateway } from './processes.mjs';
import { median } from './report.mjs';
import { bytesTensor, YES } from './token-server/tensors.mjs';
import { startTriton, TRITON_MODEL } from './triton-server.mjs';

/**
 * @typedef {{ responsesPerSecond: number, stubMicroseconds: number }} Figures
 * @typedef {{ name: string, measure: () => Promise<Figures> }} Row
 */

const WARMUP_SECONDS = 0.7;
/** So many streams have shown both the tokenizer's counts and the backend's before only one of them is asked. */
const LEARNING_REQUESTS = 32;
const FINISH = 'finish_reason';
const INPUT = 'num_input_tokens';
const OUTPUT = 'num_output_tokens';
const SETS = [[FINISH, INPUT, OUTPUT], [FINISH, OUTPUT], [FINISH, INPUT], [FINISH], []];

const machine = thisMachine();
const { values } = parseArgs({
  options: {
    streams: { type: 'string', default: '64' },
    tokens: { type: 'string', default: '128' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '5' },
    json: { type: 'boolean', default: false },
  },
});
const streams = Number(values.streams);
const tokens = Number(values.tokens);
const seconds = Number(values.seconds);
const prompt = `<<{"tokens":${tokens + 1}}>>`;

await build();
const { harness } = await import('./harness.mjs');

/** @param {readonly string[]} outputs */
function messageFor(outputs) {
  const parameters = JSON.stringify({ max_tokens: tokens });
  return harness.encodeInferRequest({
    model: TRITON_MODEL,
    id: 'bench',
    inputs: [
      { name: 'text_input', datatype: 'BYTES', shape: [1], data: bytesTensor(prompt) },
      { name: 'stream', datatype: 'BOOL', shape: [1], data: YES },
      { name: 'exclude_input_in_output', datatype: 'BOOL', shape: [1], data: YES },
      { name: 'sampling_parameters', datatype: 'BYTES', shape: [1], data: bytesTensor(parameters) },
      ...outputs.map((name) => ({
        name: `return_${name}`,
        datatype: /** @type {const} */ ('BOOL'),
        shape: [1],
        data: YES,
      })),
    ],
    outputs: ['text_output', ...outputs],
  });
}

/** @param {number} pid */
const isStub = (pid) => readFileSync(`/proc/${pid}/comm`, 'latin1').startsWith('triton_python_b');

/**
 * So many streams at once for a while, straight at Triton.
 * @param {{ port: number, stub: number }} triton
 * @param {readonly string[]} outputs
 * @returns {Promise<Figures>}
 */
async function measureDirect({ port, stub }, outputs) {
  const client = new harness.GrpcClient({ host: '127.0.0.1', port });
  const message = messageFor(outputs);
  let responses = 0;
  const stopping = new AbortController();
  const lane = async () => {
    while (!stopping.signal.aborted) {
      let seen = 0;
      const error = await client.infer(message, () => {
        seen++;
        responses++;
      });
      if (error !== undefined || seen !== tokens) throw new Error(error ?? `${seen} responses instead of ${tokens}`);
    }
  };
  const lanes = Promise.all(Array.from({ length: streams }, lane));
  const snapshot = () => ({
    responses,
    time: performance.now(),
    cpu: harness.usageOf(stub)?.cpuMicroseconds ?? Number.NaN,
  });
  await Promise.race([sleep(WARMUP_SECONDS * 1000), lanes]);
  const before = snapshot();
  await Promise.race([sleep(seconds * 1000), lanes]);
  const after = snapshot();
  stopping.abort();
  await lanes;
  await client.close();
  const count = after.responses - before.responses;
  return {
    responsesPerSecond: (count * 1000) / (after.time - before.time),
    stubMicroseconds: (after.cpu - before.cpu) / count,
  };
}

/**
 * The same through a gateway.
 * @param {string} url
 * @param {number} stub
 * @param {{ usage: boolean }} options
 * @returns {Promise<Figures>}
 */
async function measureThrough(url, stub, { usage }) {
  const extra = JSON.stringify(usage ? { stream_options: { include_usage: true } } : {});
  const load = { streams, tokens, seconds, 'warmup-seconds': WARMUP_SECONDS, model: TRITON_MODEL, prompt, extra };
  const { tokensPerSecond, processes } = await runLoad(url, { ...load, 'check-text': false }, { stub });
  return { responsesPerSecond: tokensPerSecond, stubMicroseconds: processes.stub.microsecondsPerToken };
}

/** A Conch that has the model's tokenizer and has seen enough of the model. */
async function startConch(/** @type {number} */ port) {
  const { CONCH_TEST_TOKENIZERS: folder = '' } = await prepareTestCache();
  const flags = ['--tokenizer', path.join(folder, 'qwen3')];
  const gateway = await startGateway({ ...conch, flags }, port, TRITON_MODEL);
  const learning = { streams: 1, tokens: 4, seconds: 60, requests: LEARNING_REQUESTS, 'warmup-seconds': 0 };
  await runLoad(gateway.url, { ...learning, model: TRITON_MODEL, prompt: '<<{"tokens":5}>>', 'check-text': false }, {});
  return gateway;
}

/** @param {(Figures & { name: string })[]} found */
function tableOf(found) {
  const names = [...new Set(found.map(({ name }) => name))];
  const figures = names.map((name) => {
    const own = found.filter((each) => each.name === name);
    const rate = median(own.map(({ responsesPerSecond }) => responsesPerSecond));
    return { name, rate, cost: median(own.map(({ stubMicroseconds }) => stubMicroseconds)) };
  });
  return markdownTable([
    ['beside text_output', 'responses/s', 'stub µs/response'],
    ...figures.map(({ name, rate, cost }) => [name, rate.toFixed(0), cost.toFixed(1)]),
  ]);
}

/** @param {Row[]} rows */
async function measureAll(rows) {
  const found = [];
  for (let round = 1; round <= Number(values.rounds); round++) {
    for (const { name, measure } of round % 2 === 1 ? rows : rows.toReversed()) {
      const figures = await measure();
      found.push({ name, ...figures });
      const { responsesPerSecond: rate, stubMicroseconds: cost } = figures;
      process.stderr.write(`round ${round}  ${name}: ${rate.toFixed(0)} responses/s, ${cost.toFixed(1)} µs each\n`);
    }
  }
  return found.toSorted((a, b) => locate(rows, a.name) - locate(rows, b.name));
}

const locate = (/** @type {Row[]} */ rows, /** @type {string} */ name) => rows.findIndex((row) => row.name === name);

const triton = await startTriton();
const stub = harness.processTree(triton.pid).find(isStub) ?? Number.NaN;
const gateway = await startConch(triton.port);
try {
  const found = await measureAll([
    ...SETS.map((outputs) => ({
      name: outputs.join(', ') || 'nothing',
      measure: () => measureDirect({ port: triton.port, stub }, outputs),
    })),
    { name: 'through Conch, with usage', measure: () => measureThrough(gateway.url, stub, { usage: true }) },
    { name: 'through Conch, without', measure: () => measureThrough(gateway.url, stub, { usage: false }) },
  ]);
  process.stdout.write(
    values.json ? `${JSON.stringify({ machine, found })}\n` : `${machineWords(machine)}\n\n${tableOf(found)}\n`,
  );
} finally {
  await gateway.stop();
  await triton.stop();
}
