/** A whole round: every contender in turn, fresh, at every load. */
import { measureFirstToken, measureLoad, measureRate } from './measure.mjs';
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
    .map((streams) => ({ streams, tokens: plan.tokens, seconds, 'warmup-seconds': streams > 1 ? 0.8 : 0.3 }));
}

/**
 * One contender at every load; the most streams come first, after the warm-up and in memory that is still fresh.
 * @param {Contender} contender
 * @param {Plan} plan
 * @param {Note} note
 */
export async function measureContender(contender, plan, note) {
  const wants = (/** @type {string} */ name) => plan.only === undefined || plan.only === name;
  const isPaced = wants('paced') || wants('single');
  await withFresh([contender], isPaced ? plan.intervalMilliseconds : 0, async ({ gateways, changeInterval }) => {
    const [gateway] = gateways;
    if (gateway === undefined) return;
    const { idleMegabytes, readyMilliseconds } = gateway;
    note('start', { idleMegabytes, readyMilliseconds });
    const [most = 1] = plan.streams.toSorted((a, b) => b - a);
    const warm = { streams: most, tokens: plan.tokens, seconds: 0.1, 'warmup-seconds': plan.warmupSeconds };
    await measureLoad(gateway, { ...warm, 'drain-seconds': 0 });
    for (const load of isPaced ? loads(plan, 'paced') : []) {
      if (load.streams === 1) note('paced1', await measureRate(gateway, { ...load, seconds: 2 * load.seconds }));
      else if (wants('paced')) note(`paced${load.streams}`, await measureLoad(gateway, load));
    }
    changeInterval(0);
    for (const load of wants('full') ? loads(plan, 'full') : [])
      note(`full${load.streams}`, await measureLoad(gateway, load));
    if (wants('requests'))
      note(
        'requests',
        await measureLoad(gateway, { ...warm, streams: 32, tokens: 1, seconds: plan.seconds, 'warmup-seconds': 1.5 }),
      );
    if (wants('single')) note('first', await measureFirstToken(gateway, { pairs: 3, seconds: 0.8 }));
  });
}

/**
 * The load without a gateway, straight at the token server.
 * @param {Plan} plan
 * @param {Note} note
 */
export async function measureDirect(plan, note) {
  await withFresh([], plan.intervalMilliseconds, async ({ direct, changeInterval }) => {
    for (const load of loads(plan, 'paced')) note(`paced${load.streams}`, await measureLoad(direct, load));
    changeInterval(0);
    for (const load of loads(plan, 'full')) note(`full${load.streams}`, await measureLoad(direct, load));
  });
}
