/** The single measurements, each of a gateway that runs already. */
import { runLoad } from './processes.mjs';
import { median } from './report.mjs';

/**
 * @typedef {{ name: string, contract: string, url: string, direct: string, watched: Record<string, number> }} Measured a gateway, and the server behind it
 * @typedef {Record<string, number>} Figures
 * @typedef {{ streams: number, tokens: number, seconds: number, 'warmup-seconds': number } & Record<string, string | number | boolean>} Load
 */

/**
 * The figures of a window; one in which no answer began or ended says nothing of such.
 * @param {any} load
 * @returns {Figures}
 */
function costs(load) {
  const { gateway, upstream, client } = load.processes;
  const figures = {
    ...(gateway && {
      microsecondsPerToken: gateway.microsecondsPerToken,
      microsecondsPerRequest: gateway.microsecondsPerRequest,
      cpuShare: gateway.cpuShare,
      residentMegabytes: gateway.memory.resident,
      peakMegabytes: gateway.memory.peak,
    }),
    tokensPerSecond: load.tokensPerSecond,
    requestsPerSecond: load.requestsPerSecond,
    tokensPerRead: load.tokensPerRead,
    firstTokenP50: load.firstTokenMilliseconds.p50,
    firstTokenP99: load.firstTokenMilliseconds.p99,
    upstreamShare: upstream.cpuShare,
    clientShare: client.cpuShare,
  };
  return Object.fromEntries(Object.entries(figures).filter(([, value]) => value !== null));
}

/**
 * So many streams at once.
 * @param {Measured} measured
 * @param {Load} load
 * @returns {Promise<Figures>}
 */
export async function measureLoad({ url, watched }, load) {
  return costs(await runLoad(url, load, watched));
}

/**
 * What the gateway adds to the first token at one stream: directly and through it in turn, short answers one after the
 * other. A pause between them would measure how the machine wakes up.
 * @param {Measured} measured
 * @param {{ pairs: number, seconds: number, mayGoOn?: () => boolean }} options
 * @returns {Promise<Figures>}
 */
export async function measureFirstToken({ contract, url, direct, watched }, { pairs, seconds, mayGoOn = () => true }) {
  const load = { streams: 1, tokens: 2, seconds, 'warmup-seconds': 0.3, contract };
  const found = [];
  for (let pair = 0; pair < pairs && (pair === 0 || mayGoOn()); pair++) {
    const straight = await runLoad(direct, load, watched);
    const through = await runLoad(url, load, watched);
    found.push({ direct: straight.firstTokenMilliseconds.p50, through: through.firstTokenMilliseconds.p50 });
  }
  return {
    firstTokenDirect: median(found.map((pair) => pair.direct)),
    firstTokenThrough: median(found.map((pair) => pair.through)),
    firstTokenAdded: median(found.map((pair) => pair.through - pair.direct)),
  };
}

/**
 * One paced stream through the gateway, and beside it one straight to the server, which steps with it.
 * @param {Measured} measured
 * @param {Load} load
 * @returns {Promise<Figures>}
 */
export async function measureRate({ contract, url, direct, watched }, load) {
  const [straight, through] = await Promise.all([
    runLoad(direct, { ...load, contract }, {}),
    runLoad(url, load, watched),
  ]);
  return { ...costs(through), rateAgainstDirect: through.tokensPerSecond / straight.tokensPerSecond };
}
