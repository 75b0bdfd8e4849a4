import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../errors.ts';
import type { InferenceServer } from '../kserve/server.ts';
import { type ControlFailure, controlError, failureText, type TextCleaner } from './control-errors.ts';
import { rootsThatNeed } from './dependents.ts';
import type { ModelRegistry } from './registry.ts';
import type { SharedRequests } from './shared-requests.ts';

/** The progress of a load or unload on one server. */
export interface ControlState {
  readonly server: string;
  readonly state: 'LOADING' | 'READY' | 'DRAINING' | 'UNLOADING' | 'UNLOADED' | 'FAILED';
  /** While a model drains: how many requests still run. */
  readonly running?: number;
  /** Why it failed. */
  readonly reason?: string;
}

type OnState = (state: ControlState) => void;

interface ControlOptions {
  readonly registry: ModelRegistry;
  readonly requests: SharedRequests;
  /** Milliseconds that a server may take to load a model. */
  readonly loadTimeout: number;
  /** Milliseconds that running requests have to end before they are cancelled. */
  readonly unloadTimeout: number;
  readonly clean: TextCleaner;
  /** Called when a model is loaded, also after its engine had failed on the server. */
  readonly onReloaded?: (server: InferenceServer, root: string) => void;
}

/** How a model is unloaded to free its memory for another one. */
interface Eviction {
  /** Milliseconds that running requests have to end; they are not cancelled. */
  readonly patience: number;
}

const ignore: OnState = () => undefined;
/** Milliseconds that cancelled requests have to end. */
const longestCancel = 5_000;
/** Milliseconds that a server has to unload a model. */
const longestUnload = 60_000;
/** Milliseconds that it has if the engine has failed: hanging requests would block it forever. */
const longestFailedUnload = 10_000;
/** Milliseconds between two checks of a server that unloads. */
const pollPause = 20;
/** No folder can have this name, so nothing is unloaded. */
const noModel = '/';

/** Loads and unloads models on all servers that have them. */
export class ModelControl {
  readonly #options: ControlOptions;
  /** Models that this process is loading or unloading. */
  readonly #changes = new Map<string, { readonly verb: 'loaded' | 'unloaded'; readonly done: Promise<void> }>();

  constructor(options: ControlOptions) {
    this.#options = options;
  }

  /** Resolves when the running load or unload of a model in this process is over, even if it fails. */
  settled(root: string): Promise<void> | undefined {
    return this.#changes.get(root)?.done;
  }

  /** Resolves when the model is ready and served on all servers. Returns its name there. */
  async load(name: string, onState = ignore): Promise<string> {
    const root = await this.#rootOf(name);
    return this.#change(root, 'loaded', async () => {
      const { registry, requests } = this.#options;
      const copies = registry.copiesOf(root);
      if (copies.some(({ found }) => found.state === 'LOADING' || found.state === 'UNLOADING'))
        throw busy(root, 'loaded or unloaded');
      const hasFailed = (server: InferenceServer): boolean => registry.hasFailedOn(server, root);
      const missing = copies
        .filter(({ server, found }) => found.state !== 'READY' || hasFailed(server))
        .map(({ server }) => server);
      if (missing.length === 0)
        throw new ApiError('invalid_request', `model: ${root} is already loaded.`, { param: 'model' });
      try {
        await this.#onEach(missing, `The model ${root} could not be loaded`, onState, async (server) => {
          if (hasFailed(server)) await unloadFailed(server, root);
          onState({ server: server.name, state: 'LOADING' });
          await this.#loadAt(server, root);
          onState({ server: server.name, state: 'READY' });
        });
      } finally {
        await registry.refresh(missing);
        await requests.refresh();
      }
    });
  }

  /** Stops new requests, drains running ones and unloads. Resolves when the model is unloaded on all servers. */
  async unload(name: string, onState = ignore, eviction?: Eviction): Promise<string> {
    const root = await this.#rootOf(name);
    return this.#change(root, 'unloaded', async () => {
      const { registry, requests, unloadTimeout } = this.#options;
      const ready = registry.copiesOf(root).filter(({ found }) => found.state === 'READY');
      const servers = ready.map(({ server }) => server);
      if (servers.length === 0)
        throw new ApiError('invalid_request', `model: ${root} is not loaded.`, { param: 'model' });
      const what = `The model ${root} could not be unloaded`;
      // Checked before draining: a server that cannot unload must stay as it is.
      await this.#onEach(servers, what, ignore, (server) =>
        server.call('RepositoryModelUnload', { model_name: noModel }, { timeout: longestUnload }),
      );
      const affected = rootsThatNeed(registry, root);
      const patience = eviction?.patience ?? unloadTimeout;
      const restore = await requests.withdraw(affected, patience + longestCancel + 2 * longestUnload);
      try {
        await this.#drain(root, affected, servers, onState, eviction);
        await this.#onEach(servers, what, onState, (server) => this.#unloadAt(server, root, onState, eviction));
      } finally {
        await registry.refresh(servers);
        await restore();
      }
    });
  }

  /** Reloads a model on one server, where its engine has failed: its requests there have ended. */
  async reload(root: string, server: InferenceServer): Promise<void> {
    await this.#change(root, 'loaded', async () => {
      const { registry, requests } = this.#options;
      try {
        await unloadFailed(server, root);
        await this.#loadAt(server, root);
      } finally {
        await registry.refresh([server]);
        await requests.refresh();
      }
    });
  }

  /** Whether this process is loading or unloading a model. */
  isChanging(root: string): boolean {
    return this.#changes.has(root) || this.#options.registry.isWithdrawn(root);
  }

  /** Whether a server has other ready models. */
  hasOthers(server: InferenceServer, root: string): boolean {
    const watched = this.#options.registry.servers().find((each) => each.server === server);
    return watched?.found.some(({ name, state }) => name !== root && state === 'READY') ?? false;
  }

  /** Whether a server allows loading and unloading models. */
  async canControl(server: InferenceServer): Promise<boolean> {
    try {
      await server.call('RepositoryModelUnload', { model_name: noModel }, { timeout: longestUnload });
      return true;
    } catch {
      return false;
    }
  }

  /** The current state of a model on its server: empty or UNAVAILABLE if it is not loaded. */
  async stateOf(server: InferenceServer, root: string): Promise<string> {
    const { models } = await server.call('RepositoryIndex', {}, { timeout: longestUnload });
    const states = models.filter(({ name }) => name === root).map(({ state }) => state);
    return states.find((state) => state === 'READY') ?? states.find((state) => state !== '') ?? '';
  }

  async #loadAt(server: InferenceServer, root: string): Promise<void> {
    await server.call('RepositoryModelLoad', { model_name: root }, { timeout: this.#options.loadTimeout });
    this.#options.onReloaded?.(server, root);
  }

  async #rootOf(name: string): Promise<string> {
    const { registry } = this.#options;
    await registry.refresh();
    const root = registry.rootOf(name);
    if (root !== undefined) return root;
    // Throws the error for a name that no server has, or whose server is unreachable.
    return registry.find(name).root;
  }

  async #change(root: string, verb: 'loaded' | 'unloaded', work: () => Promise<void>): Promise<string> {
    const other = this.#changes.get(root);
    if (other) throw busy(root, other.verb);
    const working = work();
    const done = working.catch(() => undefined);
    this.#changes.set(root, { verb, done });
    try {
      await working;
    } finally {
      this.#changes.delete(root);
    }
    return root;
  }

  async #drain(
    root: string,
    affected: readonly string[],
    servers: readonly InferenceServer[],
    onState: OnState,
    eviction: Eviction | undefined,
  ): Promise<void> {
    const { requests, unloadTimeout } = this.#options;
    const running = await requests.count(affected);
    for (const server of servers) onState({ server: server.name, state: 'DRAINING', running });
    if (await requests.idle(affected, eviction?.patience ?? unloadTimeout)) return;
    if (eviction) throw busy(root, 'used');
    const message = `The model ${root} is being unloaded, and this request did not finish within ${unloadTimeout / 1000} s (--unload-timeout).`;
    await requests.cancel(affected, message);
    await requests.idle(affected, longestCancel);
  }

  async #unloadAt(
    server: InferenceServer,
    root: string,
    onState: OnState,
    eviction: Eviction | undefined,
  ): Promise<void> {
    onState({ server: server.name, state: 'UNLOADING' });
    // To free memory, the parts of an ensemble are unloaded too.
    const parameters = eviction ? { parameters: { unload_dependents: { bool_param: true } } } : {};
    await server.call('RepositoryModelUnload', { model_name: root, ...parameters }, { timeout: longestUnload });
    const end = performance.now() + longestUnload;
    while (await isThere(server, root)) {
      if (performance.now() > end)
        throw new ApiError(
          'deadline_exceeded',
          `The model ${root} was not unloaded within ${longestUnload / 1000} s.`,
          { param: 'model' },
        );
      await sleep(pollPause);
    }
    onState({ server: server.name, state: 'UNLOADED' });
  }

  /** Runs work for all servers at once. The error names all servers that failed. */
  async #onEach(
    servers: readonly InferenceServer[],
    what: string,
    onState: OnState,
    work: (server: InferenceServer) => Promise<unknown>,
  ): Promise<void> {
    const { clean } = this.#options;
    const failures: ControlFailure[] = [];
    const attempt = async (server: InferenceServer): Promise<void> => {
      try {
        await work(server);
      } catch (error) {
        if (error instanceof ApiError) throw error;
        failures.push({ server: server.name, error });
        onState({ server: server.name, state: 'FAILED', reason: failureText(error, clean) });
      }
    };
    const settled = await Promise.allSettled(servers.map(attempt));
    for (const outcome of settled) if (outcome.status === 'rejected') throw outcome.reason;
    const [first, ...others] = failures;
    if (first) throw controlError(what, [first, ...others], clean);
  }
}

/** Unloads a model whose engine has failed. It does not wait forever: the load works without it. */
async function unloadFailed(server: InferenceServer, root: string): Promise<void> {
  const end = performance.now() + longestFailedUnload;
  // If it is not ready, its backend or another client is already unloading or loading it.
  if (await isThere(server, root, 'READY'))
    await server.call('RepositoryModelUnload', { model_name: root }, { timeout: longestUnload });
  while (performance.now() < end && (await isThere(server, root))) await sleep(pollPause);
}

/** Whether a server has a model in this state; by default, in any state but unloaded. */
async function isThere(server: InferenceServer, root: string, expected?: 'READY'): Promise<boolean> {
  const { models } = await server.call('RepositoryIndex', {}, { timeout: longestUnload });
  const isExpected = (state: string): boolean =>
    expected ? state === expected : state !== '' && state !== 'UNAVAILABLE';
  return models.some(({ name, state }) => name === root && isExpected(state));
}

function busy(root: string, verb: string): ApiError {
  return new ApiError('model_busy', `The model ${root} is being ${verb}. Try again later.`, {
    param: 'model',
    retryAfter: 2,
  });
}
