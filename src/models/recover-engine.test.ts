import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EngineFailure, EngineLocation, Engines } from '../kserve/engines.ts';
import type { InferenceServer } from '../kserve/server.ts';
import { EngineRecovery } from './recover-engine.ts';

const failure: EngineFailure = { part: 'engine', message: 'dead', by: 'request', at: 0 };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A server with one model, whose engine is brought back by what the test says. */
class Scene {
  readonly events: string[] = [];
  state = 'READY';
  isControlled = true;
  isChanging = false;
  isOn = true;
  isAlive = false;
  isProbed = true;
  hasOthers = false;
  reload: () => Promise<void> = async () => undefined;
  #failure: EngineFailure | undefined = failure;
  readonly server: InferenceServer;
  readonly place: EngineLocation;
  readonly recovery: EngineRecovery;

  constructor(restart?: () => Promise<void>) {
    this.server = { name: 'gpu-1', ...(restart ? { restart } : {}) } as InferenceServer;
    this.place = { server: this.server, model: 'm' };
    const engines = {
      failureOf: () => this.#failure,
      heal: () => {
        this.#failure = undefined;
        this.events.push('healed');
      },
    } as unknown as Engines;
    this.recovery = new EngineRecovery({
      engines,
      health: {
        check: async () => {
          if (!this.isProbed) return 'unprobed';
          if (this.isAlive) engines.heal(this.place);
          return this.isAlive ? 'alive' : 'failed';
        },
      },
      control: {
        canControl: async () => this.isControlled,
        hasOthers: () => this.hasOthers,
        isChanging: () => this.isChanging,
        stateOf: async () => this.state,
        reload: async () => {
          this.events.push(`reload at ${Math.round(performance.now() - this.#begun)}`);
          await this.reload();
        },
      },
      isOn: () => this.isOn,
      loadTimeout: 10_000,
      log: (_level, text) => this.events.push(text),
    });
  }

  readonly #begun = performance.now();

  fail(message = failure.message): void {
    this.#failure = { ...failure, message };
    this.isAlive = false;
  }

  async after(milliseconds: number): Promise<string[]> {
    await vi.advanceTimersByTimeAsync(milliseconds);
    return this.events.splice(0);
  }
}

const trying = (number: number) => `Reloading the model m on gpu-1: its engine has failed (try ${number}).`;

describe('EngineRecovery', () => {
  it('reloads the model at once, and heals the engine when a probe shows that it works', async () => {
    const scene = new Scene();
    scene.reload = async () => {
      scene.isAlive = true;
    };
    scene.recovery.take(scene.place);
    scene.recovery.take(scene.place);
    expect(await scene.after(1000)).toEqual([trying(1), 'reload at 0', 'healed']);
    expect(await scene.after(600_000)).toEqual([]);
  });

  it('tries again ever more seldom', async () => {
    const scene = new Scene();
    scene.reload = async () => {
      scene.state = 'UNAVAILABLE';
      throw new Error('out of memory.');
    };
    scene.recovery.take(scene.place);
    const failed = (pause: number) =>
      `The model m could not be reloaded on gpu-1: out of memory. Next try in ${pause} s.`;
    expect(await scene.after(10)).toEqual([trying(1), 'reload at 0', failed(5)]);
    expect((await scene.after(15_000)).filter((line) => line.startsWith('The model'))).toEqual([failed(10)]);
    const later = await scene.after(3_600_000);
    const times = later.filter((line) => line.startsWith('reload')).length;
    expect([times > 10, times < 20, later.at(-1)]).toEqual([true, true, failed(300)]);
    await scene.recovery.close();
  });

  it('waits longer when the engine fails again soon, and not when it worked for long', async () => {
    const scene = new Scene();
    scene.reload = async () => {
      scene.isAlive = true;
    };
    scene.recovery.take(scene.place);
    await scene.after(1000);
    scene.fail();
    scene.recovery.take(scene.place);
    expect(await scene.after(3000)).toEqual([]);
    expect(await scene.after(7000)).toEqual([trying(2), expect.stringMatching(/^reload at/), 'healed']);
    await scene.after(400_000);
    scene.fail();
    scene.recovery.take(scene.place);
    expect(await scene.after(100)).toEqual([trying(1), expect.stringMatching(/^reload at/), 'healed']);
  });

  it('does not touch a model that another client unloads', async () => {
    const scene = new Scene();
    scene.isChanging = true;
    scene.recovery.take(scene.place);
    expect(await scene.after(60_000)).toEqual([]);
    scene.state = 'UNAVAILABLE';
    expect(await scene.after(10_000)).toEqual(['healed']);
  });

  it('loads a model that its own backend has unloaded, and waits for its turn', async () => {
    const scene = new Scene();
    scene.reload = async () => {
      [scene.state, scene.isAlive] = ['READY', true];
    };
    const unhealthy = 'Model is unavailable due to unhealthy vLLM engine';
    scene.fail(unhealthy);
    scene.state = 'UNLOADING';
    scene.recovery.take(scene.place);
    expect(await scene.after(1000)).toEqual([trying(1), 'reload at 0', 'healed']);
    scene.fail(unhealthy);
    scene.state = 'UNAVAILABLE';
    scene.recovery.take(scene.place);
    expect(await scene.after(10_000)).toEqual([trying(2), expect.stringMatching(/^reload at/), 'healed']);
    scene.fail(unhealthy);
    scene.state = 'LOADING';
    scene.recovery.take(scene.place);
    expect(await scene.after(1000)).toEqual(['healed']);
  });

  it('restarts a server of its own that takes no orders, and waits for the model', async () => {
    const scene: Scene = new Scene(async () => {
      scene.events.push('restart');
      scene.state = 'LOADING';
    });
    scene.isControlled = false;
    scene.recovery.take(scene.place);
    const restarting = 'Restarting gpu-1: the engine of the model m has failed (try 1).';
    expect(await scene.after(5000)).toEqual([restarting, 'restart']);
    [scene.state, scene.isAlive] = ['READY', true];
    expect(await scene.after(1000)).toEqual(['healed']);
  });

  it.each([
    [false, 20],
    [true, 1],
  ])(
    'restarts again where the model does not load; with other models there (%s): at most %s times',
    async (hasOthers, most) => {
      const scene: Scene = new Scene(async () => {
        scene.events.push('restart');
        scene.state = 'UNAVAILABLE';
      });
      Object.assign(scene, { isControlled: false, hasOthers });
      scene.recovery.take(scene.place);
      const lines = await scene.after(3_000_000);
      const restarts = lines.filter((line) => line === 'restart').length;
      expect([restarts > most / 2, restarts <= most]).toEqual([true, true]);
      expect(lines.some((line) => line.includes('a restart of the server did not fix it'))).toBe(hasOthers);
      await scene.recovery.close();
    },
  );

  it('asks for help now and then where it can do nothing, and heals what works again', async () => {
    const scene = new Scene();
    scene.isControlled = false;
    scene.recovery.take(scene.place);
    const help =
      'The engine of the model m has failed on gpu-1, and the server does not let Conch reload it. ' +
      'Reload the model or restart the server. Conch detects when it works again.';
    expect(await scene.after(500_000)).toEqual([help]);
    expect(await scene.after(200_000)).toEqual([help]);
    scene.isAlive = true;
    expect(await scene.after(10_000)).toEqual(['healed']);
  });

  it('leaves it to the next request to show whether a model works that cannot be probed', async () => {
    const scene = new Scene();
    [scene.isProbed, scene.isControlled] = [false, false];
    scene.recovery.take(scene.place);
    expect(await scene.after(100)).toEqual(['healed']);
    scene.fail();
    scene.recovery.take(scene.place);
    expect(await scene.after(4000)).toEqual([]);
    expect(await scene.after(10_000)).toEqual([expect.stringContaining('does not let Conch reload it'), 'healed']);
  });

  it('brings a model back that cannot be probed and fails again', async () => {
    const scene: Scene = new Scene(async () => {
      scene.events.push('restart');
    });
    [scene.isProbed, scene.isControlled] = [false, false];
    scene.recovery.take(scene.place);
    expect(await scene.after(100)).toEqual(['healed']);
    scene.fail();
    scene.recovery.take(scene.place);
    const restarting = 'Restarting gpu-1: the engine of the model m has failed (try 2).';
    expect(await scene.after(60_000)).toEqual([restarting, 'restart', 'healed']);
  });

  it('does nothing but look where it is off', async () => {
    const scene = new Scene();
    scene.isOn = false;
    scene.recovery.take(scene.place);
    expect(await scene.after(60_000)).toEqual([]);
    scene.isAlive = true;
    expect(await scene.after(10_000)).toEqual(['healed']);
  });
});
