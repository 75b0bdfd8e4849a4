import { expect, it } from 'vitest';
import { balancerWith } from '../../test/support/balance-fixtures.ts';
import type { EngineFailure } from '../kserve/engines.ts';
import type { InferenceServer } from '../kserve/server.ts';
import type { Link, ProcessResponses } from '../link.ts';
import type { ModelControl } from '../models/model-control.ts';
import type { ModelRegistry } from '../models/registry.ts';
import { EngineCare } from './engine-care.ts';
import type { LiveSettings } from './live-settings.ts';

const failure: EngineFailure = { part: 'engine', message: 'dead', by: 'request', requestId: 'r1', at: 1 };

/** Processes that tell each other everything. */
class SharedLink implements Link {
  readonly #processes: Map<string, (argument: unknown) => unknown>[] = [];

  seat(): Link {
    const responders = new Map<string, (argument: unknown) => unknown>();
    this.#processes.push(responders);
    return {
      register: (prompt, respond) => responders.set(prompt, respond),
      askAll: (prompt, argument) => this.askAll(prompt, argument),
    };
  }

  register(): void {}

  async askAll(prompt: string, argument?: unknown): Promise<ProcessResponses> {
    const responses = await Promise.all(
      this.#processes.map(async (each) => each.get(prompt)?.(structuredClone(argument))),
    );
    return { responses: responses.filter((response) => response !== undefined), missing: 0 };
  }
}

/** A process of a Conch with one server. */
function processOf(shared: SharedLink, isLeader: boolean) {
  const { engines } = balancerWith();
  const server = { name: 'gpu-1', call: async () => ({ models: [] }) } as unknown as InferenceServer;
  const lines: string[] = [];
  let follows = 0;
  const log = (text: string) => lines.push(text);
  const registry = { servers: () => [{ server, found: [] }], followEngines: () => follows++ };
  let state = 'READY';
  const control = { stateOf: async () => state, isChanging: () => true };
  const care = new EngineCare({
    engines,
    registry: registry as unknown as ModelRegistry,
    control: control as unknown as ModelControl,
    link: shared.seat(),
    live: { current: { engineCheckInterval: 0, engineRecovery: 'auto', loadTimeout: 1 } } as unknown as LiveSettings,
    logger: { error: log, info: log, warn: log } as never,
    isLeader,
  });
  const location = { server, model: 'm' };
  const unload = () => {
    state = 'UNAVAILABLE';
  };
  return { engines, care, location, lines, unload, follows: () => follows };
}

it('tells all processes of failed and healed engines, and the one that finds it says so', async () => {
  const shared = new SharedLink();
  const [leader, other] = [processOf(shared, true), processOf(shared, false)];
  other.engines.fail(other.location, failure, true);
  await expect.poll(() => leader.engines.failureOf(leader.location)).toEqual(failure);
  const late = processOf(shared, false);
  await late.care.start();
  expect(late.engines.failureOf(late.location)).toEqual(failure);
  leader.unload();
  await expect.poll(() => [leader, other, late].map(({ engines }) => engines.failed())).toEqual([[], [], []]);
  await Promise.all([leader, other, late].map(({ care }) => care.close()));
  expect([leader.lines, other.lines, late.lines]).toEqual([
    ['The engine failure of the model m on gpu-1 is over.'],
    [
      'The engine of the model m has failed on gpu-1 (detected by request r1). The model gets no requests until it works again.',
    ],
    [],
  ]);
  expect([leader, other, late].map(({ follows }) => follows())).toEqual([2, 2, 2]);
});
