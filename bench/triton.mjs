/** The same load through the real tritonserver. Its model is imitated in Python, which is the limit; the gateway's CPU time is its own all the same. */
import { baseline, conch, DIRECT } from './contenders.mjs';
import { measureLoad } from './measure.mjs';
import { startGateway } from './processes.mjs';
import { startTriton, TRITON_MODEL } from './triton-server.mjs';

/**
 * @import { Contender } from './contenders.mjs'
 * @import { Run } from './report.mjs'
 * @import { Note, Plan } from './whole.mjs'
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
 * Straight at it, through Conch and through the baseline, in turn; every second round goes the other way around.
 * @param {Plan} plan
 * @param {number} rounds
 * @param {(runs: Run[], round: number, gateway: string) => Note} noteIn
 */
export async function measureTriton(plan, rounds, noteIn) {
  /** @type {Run[]} */
  const runs = [];
  const triton = await startTriton();
  const direct = `grpc://127.0.0.1:${triton.port}`;
  const paces = /** @type {const} */ ([
    ['paced', plan.intervalMilliseconds],
    ['full', 0],
  ]);
  /** @type {(url: string, watched: Record<string, number>, note: Note) => Promise<void>} */
  const measure = async (url, watched, note) => {
    const measured = { name: '', url, direct, contract: 'vllm', watched: { ...watched, upstream: triton.pid } };
    for (const [pace, interval] of paces) {
      for (const streams of plan.streams.toSorted((a, b) => b - a))
        note(`${pace}${streams}`, await measureLoad(measured, loadOf(plan, streams, interval)));
    }
  };
  /** @type {(contender: Contender, note: Note) => Promise<void>} */
  const measureThrough = async (contender, note) => {
    const gateway = await startGateway(contender, triton.port, TRITON_MODEL);
    try {
      await measure(gateway.url, { gateway: gateway.pid }, note);
    } finally {
      await gateway.stop();
    }
  };
  const list = [undefined, conch, baseline];
  const nameOf = (/** @type {Contender | undefined} */ contender) => contender?.name ?? DIRECT;
  try {
    for (let round = 1; round <= rounds; round++) {
      for (const contender of round % 2 === 1 ? list : list.toReversed()) {
        const note = noteIn(runs, round, nameOf(contender));
        await (contender === undefined ? measure(direct, {}, note) : measureThrough(contender, note));
      }
    }
  } finally {
    await triton.stop();
  }
  const names = list.map(nameOf);
  return runs.toSorted((a, b) => names.indexOf(a.gateway) - names.indexOf(b.gateway) || a.round - b.round);
}
