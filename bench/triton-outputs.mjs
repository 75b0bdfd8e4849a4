/**
 * What the optional outputs of Triton's vLLM backend cost it: responses per second of the real tritonserver and CPU time per response of its Python stub,
 * by the outputs that a request asks for. Every set of outputs is measured in every round, in the other direction in every second one.
 *
 *   node bench/triton-outputs.mjs [--streams 64] [--tokens 128] [--seconds 3] [--rounds 5] [--json]
 *
 * The model is imitated in Python (test/support/toy_vllm), and its stub is the limit. The requests go straight to Triton, past any gateway.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { build } from '../scripts/lib/build.mjs';
import { cpuMicroseconds, processTree } from './cpu.mjs';
import { machineWords, thisMachine } from './machine.mjs';
import { markdownTable } from './markdown.mjs';
import { median } from './report.mjs';
import { bytesTensor, YES } from './token-server/tensors.mjs';
import { startTriton, TRITON_MODEL } from './triton-server.mjs';

const WARMUP_MILLISECONDS = 700;
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
const milliseconds = Number(values.seconds) * 1000;
const rounds = Number(values.rounds);

await build();
const { harness } = await import('./harness.mjs');

/** @param {readonly string[]} outputs */
function messageFor(outputs) {
  const parameters = JSON.stringify({ max_tokens: tokens });
  return harness.encodeInferRequest({
    model: TRITON_MODEL,
    id: 'bench',
    inputs: [
      { name: 'text_input', datatype: 'BYTES', shape: [1], data: bytesTensor(`<<{"tokens":${tokens + 1}}>>`) },
      { name: 'stream', datatype: 'BOOL', shape: [1], data: YES },
      { name: 'exclude_input_in_output', datatype: 'BOOL', shape: [1], data: YES },
      { name: 'sampling_parameters', datatype: 'BYTES', shape: [1], data: bytesTensor(parameters) },
      ...outputs.map((name) => ({ name: `return_${name}`, datatype: 'BOOL', shape: [1], data: YES })),
    ],
    outputs: ['text_output', ...outputs],
  });
}

/** @param {number} pid */
function isStub(pid) {
  return readFileSync(`/proc/${pid}/comm`, 'latin1').startsWith('triton_python_b');
}

/**
 * So many streams at once for a while.
 * @param {{ pid: number, port: number }} triton
 * @param {readonly string[]} outputs
 */
async function measure(triton, outputs) {
  const client = new harness.GrpcClient({ host: '127.0.0.1', port: triton.port });
  const message = messageFor(outputs);
  const stubs = processTree(triton.pid).filter(isStub);
  const stubTime = () => stubs.reduce((sum, pid) => sum + cpuMicroseconds(pid), 0);
  let responses = 0;
  let goesOn = true;
  const lane = async () => {
    while (goesOn) {
      let seen = 0;
      const fault = await client.infer(message, () => {
        seen++;
        responses++;
      });
      if (fault !== undefined || seen !== tokens) throw new Error(fault ?? `${seen} responses instead of ${tokens}`);
    }
  };
  const lanes = Promise.all(Array.from({ length: streams }, lane));
  await Promise.race([sleep(WARMUP_MILLISECONDS), lanes]);
  const before = { responses, time: performance.now(), stub: stubTime() };
  await Promise.race([sleep(milliseconds), lanes]);
  const after = { responses, time: performance.now(), stub: stubTime() };
  goesOn = false;
  await lanes;
  await client.close();
  const count = after.responses - before.responses;
  return {
    responsesPerSecond: (count * 1000) / (after.time - before.time),
    stubMicroseconds: (after.stub - before.stub) / count,
  };
}

/** @typedef {{ outputs: readonly string[], responsesPerSecond: number, stubMicroseconds: number }} Measured */

/** @param {Measured[]} found */
function tableOf(found) {
  const figures = SETS.map((outputs) => {
    const own = found.filter((each) => each.outputs === outputs);
    return {
      outputs,
      rate: median(own.map(({ responsesPerSecond }) => responsesPerSecond)),
      cost: median(own.map(({ stubMicroseconds }) => stubMicroseconds)),
    };
  });
  const all = figures[0]?.rate ?? Number.NaN;
  return markdownTable([
    ['asked beside text_output', 'responses/s', 'of all three', 'stub µs/response'],
    ...figures.map(({ outputs, rate, cost }) => [
      outputs.join(', ') || 'nothing',
      rate.toFixed(0),
      `${((rate / all) * 100).toFixed(0)} %`,
      cost.toFixed(1),
    ]),
  ]);
}

const triton = await startTriton();
/** @type {Measured[]} */
const found = [];
try {
  for (let round = 1; round <= rounds; round++) {
    for (const outputs of round % 2 === 1 ? SETS : SETS.toReversed()) {
      const figures = await measure(triton, outputs);
      found.push({ outputs, ...figures });
      process.stderr.write(
        `round ${round}  ${outputs.join(', ') || 'nothing'}: ${figures.responsesPerSecond.toFixed(0)} responses/s, ` +
          `${figures.stubMicroseconds.toFixed(1)} µs of the stub each\n`,
      );
    }
  }
} finally {
  await triton.stop();
}
process.stdout.write(
  values.json ? `${JSON.stringify({ machine, found })}\n` : `${machineWords(machine)}\n\n${tableOf(found)}\n`,
);
