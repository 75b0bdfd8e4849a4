/** The single measurements, each of a gateway that runs already. */
import { runLoad, WrongResponses } from './processes.mjs';

/**
 * @import { Scenario } from './scenarios.mjs'
 * @import { probe } from './profile/probe-control.mjs'
 * @typedef {Record<string, string | number | boolean>} LoadFlags
 * @typedef {{ streams: number, tokens: number, seconds: number, 'warmup-seconds': number } & LoadFlags} Load
 * @typedef {Record<string, number>} Figures
 */

/**
 * A gateway, and the server behind it.
 * @typedef {object} Measured
 * @property {string} name
 * @property {string} contract
 * @property {string} url
 * @property {string} direct the server's
 * @property {Record<string, number>} watched process numbers
 * @property {LoadFlags} [load] what every load of it has besides
 * @property {boolean} [isRunning] not started by us: what it refuses is left out
 * @property {ReturnType<typeof probe>} [loop] what watches its event loop
 */

/**
 * The figures of a window; one in which no response began or ended says nothing of such.
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
    tokensPerEvent: load.tokensPerEvent,
    firstTokenP50: load.firstTokenMilliseconds.p50,
    firstTokenP99: load.firstTokenMilliseconds.p99,
    upstreamShare: upstream?.cpuShare ?? null,
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
export async function measureLoad({ url, watched, load: own = {}, loop }, load) {
  const { 'least-per-event': least = 0, ...flags } = load;
  const pid = watched['gateway'] ?? 0;
  await loop?.begin(pid);
  const figures = costs(await runLoad(url, { ...flags, ...own }, watched));
  const delay = await loop?.end(pid);
  if ((figures['tokensPerEvent'] ?? 0) < Number(least))
    throw new WrongResponses('the field that puts several tokens into an event was ignored');
  return delay === undefined
    ? figures
    : { ...figures, loopDelayP99: delay.lateP99, loopHeldP99: delay.heldP99, loopWaitPercent: delay.waitPercent };
}

/**
 * What the gateway adds to the first token: the same load directly and through it.
 * @param {Measured} measured
 * @param {Load} load
 * @returns {Promise<Figures>}
 */
export async function measureFirstToken({ contract, url, direct, watched, load: own = {} }, load) {
  const straight = await runLoad(direct, { ...load, contract }, {});
  const through = await runLoad(url, { ...load, ...own }, watched);
  const [before, after] = [straight, through].map(({ firstTokenMilliseconds: { p50 } }) => p50 ?? Number.NaN);
  // A window in which no response began says nothing.
  if (!Number.isFinite(after - before)) return {};
  return { firstTokenDirect: before, firstTokenThrough: after, firstTokenAdded: after - before };
}

/**
 * One paced stream through the gateway, and beside it one straight to the server, which steps with it.
 * @param {Measured} measured
 * @param {Load} load
 * @returns {Promise<Figures>}
 */
async function measureRate({ contract, url, direct, watched, load: own = {} }, load) {
  const [straight, through] = await Promise.all([
    runLoad(direct, { ...load, contract }, {}),
    runLoad(url, { ...load, ...own }, watched),
  ]);
  return { ...costs(through), rateAgainstDirect: through.tokensPerSecond / straight.tokensPerSecond };
}

/**
 * One window of a scenario.
 * @param {Scenario} scenario
 * @param {Measured} gateway
 */
export function measureScenario({ kind, load }, gateway) {
  const measure = { load: measureLoad, first: measureFirstToken, rate: measureRate }[kind];
  return measure(gateway, load);
}
