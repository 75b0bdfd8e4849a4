/** Gateways in front of one token server, all fresh, for as long as they are measured. */
import { DIRECT } from './contenders.mjs';
import { memoryMegabytes } from './cpu.mjs';
import { startGateway, startTokenServer } from './processes.mjs';

/**
 * @import { Contender } from './contenders.mjs'
 * @import { Measured } from './measure.mjs'
 */

/**
 * @typedef {object} Session
 * @property {(Measured & { readyMilliseconds: number, idleMegabytes: number })[]} gateways
 * @property {Measured} direct the token server itself
 * @property {(milliseconds: number) => void} changeInterval
 */

/**
 * @template Result
 * @param {Contender[]} contenders all of one contract
 * @param {number} interval milliseconds between tokens, 0 for none
 * @param {(session: Session) => Promise<Result>} work
 */
export async function withFresh(contenders, interval, work) {
  const contract = contenders[0]?.contract ?? 'vllm';
  const upstream = await startTokenServer(interval, contract);
  const direct = `grpc://127.0.0.1:${upstream.port}`;
  /** @type {Awaited<ReturnType<typeof startGateway>>[]} */
  let started = [];
  try {
    started = await Promise.all(contenders.map((contender) => startGateway(contender, upstream.port)));
    const gateways = started.map(({ url, pid, readyMilliseconds }, index) => ({
      name: contenders[index]?.name ?? '',
      contract,
      url,
      direct,
      watched: { gateway: pid, upstream: upstream.pid },
      readyMilliseconds,
      idleMegabytes: memoryMegabytes(pid).resident,
    }));
    return await work({
      gateways,
      direct: { name: DIRECT, contract, url: direct, direct, watched: { upstream: upstream.pid } },
      changeInterval: upstream.changeInterval,
    });
  } finally {
    await Promise.all(started.map((gateway) => gateway.stop()));
    await upstream.stop();
  }
}
