/** A whole round: every contender in turn, fresh, at every load. */
import { measureFirstToken, measureLoad, measureRate } from './measure.mjs';
import { warmUp } from './pairs.mjs';
import { withFresh } from './session.mjs';

/**
 * @import { Contender } from './contenders.mjs'
 * @import { Figures } from './measure.mjs'
 */

/** @typedef {{ streams: number[], tokens: number, seconds: number, intervalMilliseconds: number, warmupSeconds: number, only: string | undefined }} Plan */
/** @typedef {(scenario: string, result: Figures) => void} Note */

/**
 * The window at a pace: whole answers, so that every stream begins and ends as many.
 * @param {Plan} plan
 */
function pacedSeconds({ tokens, intervalMilliseconds, seconds }) {
  const answer = (tokens * intervalMilliseconds) / 1000;
  return Math.max(1, Math.round(seconds / answer)) * answer;
}

/**
 * @param {Plan} plan
 * @param {'paced' | 'full'} pace
 */
function loads(plan, pace) {
  const seconds = pace === 'paced' ? pacedSeconds(plan) : plan.seconds;
  return plan.streams
    .toSorted((a, b) => b - a)
    .map((streams) => ({
      streams,
      tokens: plan.tokens,
      // One stream has few tokens to judge by.
      seconds: pace === 'paced' && streams === 1 ? 2 * seconds : seconds,
      'warmup-seconds': streams > 1 ? 1 : 0.3,
    }));
}

/**
 * One contender at every load, after a warm-up at full speed.
 * @param {Contender} contender
 * @param {Plan} plan
 * @param {Note} note
 */
export async function measureContender(contender, plan, note) {
  const wants = (/** @type {string} */ name) => plan.only === undefined || plan.only === name;
  await withFresh([contender], 0, async ({ gateways, changeInterval }) => {
    const [gateway] = gateways;
    if (gateway === undefined) return;
    const { idleMegabytes, readyMilliseconds } = gateway;
    note('start', { idleMegabytes, readyMilliseconds });
    const { tokens, warmupSeconds } = plan;
    const warm = { streams: Math.max(...plan.streams), tokens };
    await warmUp([gateway], { ...warm, cpuSeconds: warmupSeconds, mostSeconds: 3 * warmupSeconds });
    for (const load of wants('full') ? loads(plan, 'full') : [])
      note(`full${load.streams}`, await measureLoad(gateway, load));
    const requests = { streams: 32, tokens: 1, seconds: plan.seconds, 'warmup-seconds': 1.5 };
    if (wants('requests')) note('requests', await measureLoad(gateway, requests));
    if (wants('single')) note('first', await measureFirstToken(gateway, { pairs: 3, seconds: 0.8 }));
    changeInterval(plan.intervalMilliseconds);
    for (const load of loads(plan, 'paced')) {
      const isSingle = load.streams === 1;
      if (!wants('paced') && !(isSingle && wants('single'))) continue;
      note(`paced${load.streams}`, await (isSingle ? measureRate : measureLoad)(gateway, load));
    }
  });
}

/**
 * The load without a gateway, straight at the token server.
 * @param {Plan} plan
 * @param {Note} note
 */
export async function measureDirect(plan, note) {
  await withFresh([], 0, async ({ direct, changeInterval }) => {
    for (const load of loads(plan, 'full')) note(`full${load.streams}`, await measureLoad(direct, load));
    changeInterval(plan.intervalMilliseconds);
    for (const load of loads(plan, 'paced')) note(`paced${load.streams}`, await measureLoad(direct, load));
  });
}
