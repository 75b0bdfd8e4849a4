/** A run: rounds in which gateways are started fresh side by side and loaded in turn, so that what disturbs one disturbs the others as well. */
import { measureScenario } from './measure.mjs';
import { WrongResponses } from './processes.mjs';
import { withFresh } from './session.mjs';
import { warmUp } from './warm-up.mjs';

/**
 * @import { Contender } from './contenders.mjs'
 * @import { Figures, Measured } from './measure.mjs'
 * @import { Run } from './report.mjs'
 * @import { Scenario } from './scenarios.mjs'
 * @import { Session, SessionOptions } from './session.mjs'
 */

/**
 * @typedef {object} RunOptions
 * @property {Contender[][]} groups contenders of one contract, side by side
 * @property {Scenario[]} scenarios
 * @property {number} rounds
 * @property {(run: Run) => void} note
 * @property {(line: string) => void} say
 * @property {(scenario: Scenario) => boolean} [mayGoOn] whether there is time for one more window
 * @property {Pick<SessionOptions, 'upstream' | 'running'>} [around]
 */

/**
 * In every second round everything goes the other way around.
 * @param {RunOptions} options
 */
export async function measureRounds(options) {
  const { groups, scenarios, rounds, around = {} } = options;
  for (let round = 1; round <= rounds; round++) {
    const isForward = round % 2 === 1;
    for (const group of isForward ? groups : groups.toReversed()) {
      const contenders = isForward ? group : group.toReversed();
      const own = group === groups[0] ? scenarios : scenarios.filter(({ everyContract }) => everyContract);
      const steps = { ...options, round };
      const plain = own.filter(({ watchesLoop }) => !watchesLoop);
      await withFresh(contenders, 0, (session) => measureSession(session, plain, steps, true), around);
      for (const scenario of own.filter(({ watchesLoop }) => watchesLoop)) {
        const watched = { ...around, watchesLoop: true };
        await withFresh(contenders, 0, (session) => measureSession(session, [scenario], steps, false), watched);
      }
    }
  }
}

/**
 * @param {Session} session
 * @param {Scenario[]} scenarios
 * @param {RunOptions & { round: number }} options
 * @param {boolean} notesStart
 */
async function measureSession({ gateways, changeInterval }, scenarios, { round, note, say, mayGoOn }, notesStart) {
  for (const { name, idleMegabytes, readyMilliseconds } of notesStart ? gateways : []) {
    const result = { idleMegabytes, ...(readyMilliseconds === undefined ? {} : { readyMilliseconds }) };
    note({ round, window: 0, gateway: name, scenario: 'start', result });
  }
  for (const scenario of scenarios) {
    changeInterval(scenario.interval);
    const able = await warm(gateways, scenario, say);
    for (let window = 0; window < scenario.windows; window++) {
      if (window > 0 && mayGoOn?.(scenario) === false) break;
      for (const gateway of window % 2 === 0 ? able : able.toReversed()) {
        const result = await figuresOf(scenario, gateway, say);
        if (Object.keys(result).length > 0)
          note({ round, window, gateway: gateway.name, scenario: scenario.name, result });
      }
    }
  }
}

/**
 * Gives those that responded as they should.
 * @param {Measured[]} gateways
 * @param {Scenario} scenario
 * @param {(line: string) => void} say
 */
async function warm(gateways, scenario, say) {
  const { warmSeconds, load } = scenario;
  if (warmSeconds === 0) return gateways;
  const { streams, tokens, seconds: _, 'warmup-seconds': __, ...flags } = load;
  const limits = { cpuSeconds: warmSeconds, mostSeconds: 4 * warmSeconds };
  const able = await Promise.all(
    gateways.map(async (gateway) => {
      const warmed = warmUp([gateway], { streams, tokens, flags, ...limits }).then(() => ({}));
      return orRefused(warmed, scenario, gateway, say);
    }),
  );
  return gateways.filter((_gateway, index) => able[index] !== undefined);
}

/**
 * @param {Scenario} scenario
 * @param {Measured} gateway
 * @param {(line: string) => void} say
 * @returns {Promise<Figures>}
 */
async function figuresOf(scenario, gateway, say) {
  return (await orRefused(measureScenario(scenario, gateway), scenario, gateway, say)) ?? {};
}

/**
 * Wrong responses end the run, unless the scenario is optional or the gateway is not ours: then they leave out its figure.
 * @template Value
 * @param {Promise<Value>} work
 * @param {Scenario} scenario
 * @param {Measured} gateway
 * @param {(line: string) => void} say
 */
async function orRefused(work, scenario, gateway, say) {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof WrongResponses) || !(scenario.optional || gateway.isRunning)) throw error;
    say(`${scenario.name}: no figure for ${gateway.name}: ${error.message.slice(0, 300)}`);
    return undefined;
  }
}
