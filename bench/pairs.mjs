/** Two gateways that run at the same time, loaded in turn: what disturbs one of them disturbs the other as well. */
import { cpuMicroseconds, processTree } from './cpu.mjs';
import { measureLoad } from './measure.mjs';
import { runLoad } from './processes.mjs';

/** @import { Figures, Load, Measured } from './measure.mjs' */

/**
 * Keeps all of them busy at once until each has used so many seconds of CPU, in which most of the compiling is done: it would otherwise count
 * as the cost of the first tokens. On a busy machine that takes longer, up to a limit.
 * @param {Pick<Measured, 'url' | 'watched'>[]} gateways
 * @param {{ streams: number, tokens: number, cpuSeconds: number, mostSeconds: number, flags?: Record<string, string | number | boolean> }} load
 */
export async function warmUp(gateways, { streams, tokens, cpuSeconds, mostSeconds, flags = {} }) {
  const deadline = performance.now() + mostSeconds * 1000;
  const load = { ...flags, streams, tokens, seconds: 1.5, 'warmup-seconds': 0.3, 'drain-seconds': 0 };
  const used = (/** @type {number} */ pid) =>
    processTree(pid).reduce((sum, member) => sum + cpuMicroseconds(member), 0);
  const warmUpOne = async (/** @type {Pick<Measured, 'url' | 'watched'>} */ { url, watched }) => {
    const pid = watched['gateway'] ?? 0;
    const enough = used(pid) + cpuSeconds * 1e6;
    while (used(pid) < enough && performance.now() < deadline) await runLoad(url, load, {});
  };
  await Promise.all(gateways.map(warmUpOne));
}

/**
 * Pairs of windows, the other one first in every second pair. An entry of a pair is that of the gateway at the same place.
 * @param {Measured[]} gateways
 * @param {Load} load
 * @param {{ pairs: number, mayGoOn?: () => boolean }} options
 * @returns {Promise<Figures[][]>}
 */
export async function alternatingPairs(gateways, load, { pairs, mayGoOn = () => true }) {
  const found = [];
  for (let pair = 0; pair < pairs && (pair === 0 || mayGoOn()); pair++) {
    /** @type {Figures[]} */
    const figures = [];
    const places = pair % 2 === 0 ? gateways.keys() : [...gateways.keys()].toReversed();
    for (const place of places) {
      const gateway = gateways[place];
      if (gateway !== undefined) figures[place] = await measureLoad(gateway, load);
    }
    found.push(figures);
  }
  return found;
}
