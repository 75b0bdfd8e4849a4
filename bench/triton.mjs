/** The same load through the real tritonserver. Its model is imitated in Python, which is the limit; the gateway's CPU time is its own all the same. */
import { baseline, conch, DIRECT } from './contenders.mjs';
import { measureFirstToken, measureLoad } from './measure.mjs';
import { startGateway } from './processes.mjs';
import { rounded } from './report.mjs';
import { startTriton, TRITON_MODEL } from './triton-server.mjs';

/**
 * @import { Contender } from './contenders.mjs'
 * @import { Figures, Measured } from './measure.mjs'
 * @import { Run } from './report.mjs'
 * @import { Plan } from './scenarios.mjs'
 */

/**
 * @param {Plan} plan
 * @param {number} streams
 * @param {number} interval
 */
function loadOf({ tokens, seconds, warmupSeconds }, streams, interval) {
  const directive = { tokens: tokens + 1, ...(interval > 0 ? { delay_ms: interval } : {}) };
  return {
    streams,
    tokens,
    seconds,
    'warmup-seconds': warmupSeconds,
    'drain-seconds': 120,
    model: TRITON_MODEL,
    prompt: `<<${JSON.stringify(directive)}>>`,
    'check-text': false,
  };
}

/**
 * @param {number} streams
 * @param {number} interval
 */
const scenarioOf = (streams, interval) => `${interval > 0 ? 'paced' : 'full'}${streams}`;

/**
 * Straight at it, through Conch and through the baseline, in turn; every second round goes the other way around.
 * @param {Plan} plan
 * @param {number} rounds
 * @param {(run: Run) => void} say
 */
export async function measureTriton(plan, rounds, say) {
  /** @type {Run[]} */
  const runs = [];
  const triton = await startTriton();
  const direct = `grpc://127.0.0.1:${triton.port}`;
  const loads = [plan.intervalMilliseconds, 0].flatMap((interval) =>
    plan.streams.toSorted((a, b) => b - a).map((streams) => ({ streams, interval })),
  );
  /** @type {(round: number, measured: Measured) => Promise<void>} */
  const measure = async (round, measured) => {
    const note = (/** @type {string} */ scenario, /** @type {Figures} */ result) => {
      const run = { round, window: 0, gateway: measured.name, scenario, result: rounded(result) };
      runs.push(run);
      say(run);
    };
    for (const { streams, interval } of loads)
      note(scenarioOf(streams, interval), await measureLoad(measured, loadOf(plan, streams, interval)));
    if (measured.url !== direct)
      note('first1', await measureFirstToken(measured, loadOf({ ...plan, tokens: 2 }, 1, 0)));
  };
  /** @type {(round: number, contender: Contender | undefined) => Promise<void>} */
  const measureOne = async (round, contender) => {
    const common = { direct, contract: 'vllm' };
    const upstream = { upstream: triton.pid };
    if (contender === undefined)
      return await measure(round, { ...common, name: DIRECT, url: direct, watched: upstream });
    const { name } = contender;
    const gateway = await startGateway(contender, triton.port, TRITON_MODEL);
    try {
      await measure(round, { ...common, name, url: gateway.url, watched: { gateway: gateway.pid, ...upstream } });
    } finally {
      await gateway.stop();
    }
  };
  const list = [undefined, conch, baseline];
  try {
    for (let round = 1; round <= rounds; round++)
      for (const contender of round % 2 === 1 ? list : list.toReversed()) await measureOne(round, contender);
  } finally {
    await triton.stop();
  }
  const names = list.map((contender) => contender?.name ?? DIRECT);
  return runs.toSorted((a, b) => names.indexOf(a.gateway) - names.indexOf(b.gateway) || a.round - b.round);
}
