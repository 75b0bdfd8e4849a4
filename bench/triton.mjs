/** The same load through the real tritonserver. Its model is imitated in Python, which is the limit; the gateway's CPU time is its own all the same. */
import { baseline, conch, DIRECT } from './contenders.mjs';
import { measureLoad } from './measure.mjs';
import { startGateway } from './processes.mjs';
import { startTriton, TRITON_MODEL } from './triton-server.mjs';

/**
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
 * Straight at it, through Conch and through the baseline, in turn.
 * @param {Plan} plan
 * @param {number} rounds
 * @param {(runs: Run[], round: number, gateway: string) => Note} noteIn
 */
export async function measureTriton(plan, rounds, noteIn) {
  /** @type {Run[]} */
  const runs = [];
  const triton = await startTriton();
  const direct = `grpc://127.0.0.1:${triton.port}`;
  const watched = { upstream: triton.pid };
  /** @param {{ name: string, url: string, watched: Record<string, number> }} measured */
  const measure = async (measured, /** @type {Note} */ note) => {
    for (const [pace, interval] of /** @type {const} */ ([
      ['paced', plan.intervalMilliseconds],
      ['full', 0],
    ])) {
      for (const streams of plan.streams.toSorted((a, b) => b - a))
        note(
          `${pace}${streams}`,
          await measureLoad({ ...measured, direct, contract: 'vllm' }, loadOf(plan, streams, interval)),
        );
    }
  };
  try {
    for (let round = 1; round <= rounds; round++) {
      await measure({ name: DIRECT, url: direct, watched }, noteIn(runs, round, DIRECT));
      for (const contender of [conch, baseline]) {
        const gateway = await startGateway(contender, triton.port, TRITON_MODEL);
        try {
          const { url } = gateway;
          await measure(
            { name: contender.name, url, watched: { ...watched, gateway: gateway.pid } },
            noteIn(runs, round, contender.name),
          );
        } finally {
          await gateway.stop();
        }
      }
    }
  } finally {
    await triton.stop();
  }
  return runs;
}
