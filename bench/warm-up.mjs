/** Warming up gateways. */
import { runLoad, usageOf } from './processes.mjs';

/**
 * @import { Measured } from './measure.mjs'
 * @typedef {Pick<Measured, 'url' | 'watched'> & Partial<Pick<Measured, 'load'>>} Warmed
 */

/**
 * Keeps all of them busy at once until each has used so many seconds of CPU, in which most of the compiling is done: it would otherwise count
 * as the cost of the first tokens. On a busy machine that takes longer, up to a limit.
 * @param {Warmed[]} gateways
 * @param {{ streams: number, tokens: number, cpuSeconds: number, mostSeconds: number, flags?: Record<string, string | number | boolean> }} load
 */
export async function warmUp(gateways, { streams, tokens, cpuSeconds, mostSeconds, flags = {} }) {
  const deadline = performance.now() + mostSeconds * 1000;
  const load = { ...flags, streams, tokens, seconds: 1.5, 'warmup-seconds': 0.3, 'drain-seconds': 0 };
  const warmUpOne = async (/** @type {Warmed} */ { url, watched, load: own = {} }) => {
    const used = async () => (await usageOf(watched['gateway'] ?? 0)).cpuMicroseconds;
    const enough = (await used()) + cpuSeconds * 1e6;
    while ((await used()) < enough && performance.now() < deadline) await runLoad(url, { ...load, ...own }, {});
  };
  await Promise.all(gateways.map(warmUpOne));
}
