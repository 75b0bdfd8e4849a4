/** Two gateways that run at the same time, loaded in turn: what disturbs one of them disturbs the other as well. */
import { measureLoad } from './measure.mjs';
import { runLoad } from './processes.mjs';

/** @import { Figures, Load, Measured } from './measure.mjs' */

/**
 * Keeps all of them busy at once until most of the compiling is done, which would otherwise count as the cost of the first tokens.
 * @param {Measured[]} gateways
 * @param {{ streams: number, tokens: number, seconds: number }} load
 */
export async function warmUp(gateways, { streams, tokens, seconds }) {
  const load = { streams, tokens, seconds, 'warmup-seconds': 0.5, 'drain-seconds': 0 };
  await Promise.all(gateways.map(({ url }) => runLoad(url, load, {})));
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
