/** Gateways in front of one token server, for as long as they are measured: fresh ones, and those that run already. */
import { startGateway, startTokenServer, usageOf } from './processes.mjs';
import { probe } from './profile/probe-control.mjs';

/**
 * @import { Contender } from './contenders.mjs'
 * @import { Measured } from './measure.mjs'
 * @import { TokenServer } from './processes.mjs'
 * @import { RunningGateway } from './running-gateway.mjs'
 */

/**
 * @typedef {object} Session
 * @property {(Measured & { readyMilliseconds?: number, idleMegabytes: number })[]} gateways
 * @property {(milliseconds: number) => void} changeInterval
 */

/**
 * @typedef {object} SessionOptions
 * @property {TokenServer} [upstream] one that runs already, and goes on
 * @property {RunningGateway[]} [running] gateways that run already, in front of it
 * @property {boolean} [watchesLoop] whether the event loop of the fresh ones is watched
 */

/**
 * @template Result
 * @param {Contender[]} contenders all of one contract
 * @param {number} interval milliseconds between tokens, 0 for none
 * @param {(session: Session) => Promise<Result>} work
 * @param {SessionOptions} [options]
 */
export async function withFresh(contenders, interval, work, { upstream: value, running = [], watchesLoop } = {}) {
  const contract = contenders[0]?.contract ?? 'vllm';
  const upstream = value ?? (await startTokenServer(interval, contract));
  upstream.changeInterval(interval);
  const common = { contract, direct: `grpc://127.0.0.1:${upstream.port}` };
  const watchedWith = (/** @type {number} */ gateway) => ({ gateway, upstream: upstream.pid });
  /** @type {Awaited<ReturnType<typeof startGateway>>[]} */
  const started = [];
  try {
    /** @type {Session['gateways']} */
    const gateways = [];
    // One after the other: each is ready as soon as it can be alone.
    for (const contender of contenders) {
      const loop = watchesLoop ? { loop: probe('loop') } : {};
      const environment = { ...contender.environment, ...loop.loop?.environment };
      const fresh = await startGateway({ ...contender, environment }, upstream.port);
      started.push(fresh);
      const { url, pid, readyMilliseconds } = fresh;
      const { residentMegabytes: idleMegabytes } = await usageOf(pid);
      const figures = { readyMilliseconds, idleMegabytes };
      gateways.push({ ...common, name: contender.name, url, watched: watchedWith(pid), ...figures, ...loop });
    }
    for (const { name, url, pid } of running) {
      const { residentMegabytes: idleMegabytes } = await usageOf(pid);
      const loads = { load: { 'by-text': true }, isRunning: true };
      gateways.push({ ...common, name, url, watched: watchedWith(pid), idleMegabytes, ...loads });
    }
    return await work({ gateways, changeInterval: upstream.changeInterval });
  } finally {
    await Promise.all(started.map((gateway) => gateway.stop()));
    if (value === undefined) await upstream.stop();
  }
}
