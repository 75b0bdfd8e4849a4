import { engineRetryAfter } from '../contracts/engine-failed.ts';
import { vllmMismatch } from '../contracts/vllm-mismatch.ts';
import { ApiError } from '../errors.ts';
import type { InferenceServer } from '../kserve/server.ts';
import { requireText } from './abilities.ts';
import type { FoundModel } from './discovery.ts';
import { ModelAssembly } from './model-assembly.ts';
import { modelRows } from './model-rows.ts';
import { readingsOf } from './name-readings.ts';
import type { RegistryOptions } from './registry-options.ts';
import { generatesText, type ModelRow, type NamedModel, type ServedModel } from './served-model.ts';
import { UnfitModels } from './unfit-models.ts';
import type { WatchedServer } from './watched-server.ts';
import { type ModelCopy, WatchedServers } from './watched-servers.ts';
import { WithdrawnModels } from './withdrawn-models.ts';

/** The served models. It checks every server at intervals. */
export class ModelRegistry {
  readonly #options: RegistryOptions;
  readonly #servers: WatchedServers;
  readonly #assembly: ModelAssembly;
  readonly #firstSeen = new Map<string, number>();
  readonly #withdrawn = new WithdrawnModels();
  readonly #unfit = new UnfitModels();
  #models: ReadonlyMap<string, NamedModel> = new Map();
  /** Their models on the servers. */
  #roots: ReadonlySet<string> = new Set();
  #lastRows = '';

  constructor(options: RegistryOptions) {
    this.#options = options;
    this.#servers = new WatchedServers(options, {
      onChange: () => this.#rebuild(),
      onLost: (server) => this.#assembly.learned.forgetServer(server),
    });
    this.#assembly = new ModelAssembly({
      options,
      servers: this.#servers,
      engineFailure: this.#engineFailure,
      createdAt: (name) => this.createdAt(name),
      onLearned: () => this.#rebuild(),
    });
  }

  /** Checks every server once, then at intervals in the background. */
  start(): Promise<void> {
    return this.#servers.start();
  }

  /**
   * Replaces the servers: new ones are checked, and removed ones get no more requests. If no other server is reachable,
   * removed ones serve on until a new one was checked. Resolves when the removed ones are no longer used.
   */
  follow(servers: readonly InferenceServer[]): Promise<void> {
    return this.#servers.follow(servers);
  }

  /** Checks every server once, or only these. */
  refresh(servers?: readonly InferenceServer[]): Promise<void> {
    return this.#servers.refresh(servers);
  }

  /** Applies changed `aliases`, `describe` and `hints`: names at once, the rest after a check of the servers. */
  async reconsider(): Promise<void> {
    this.#unfit.clear();
    this.#rebuild();
    await this.refresh();
  }

  close(): Promise<void> {
    return this.#servers.close();
  }

  list(): NamedModel[] {
    return [...this.#models.values()];
  }

  /** The current servers, and the models of each. */
  servers(): readonly Pick<WatchedServer, 'server' | 'found' | 'error' | 'hasResponded'>[] {
    return this.#servers.all;
  }

  /** The model of this name. Throws a 404 if no server has it, a 503 if it is not ready. */
  find(name: string): NamedModel {
    const model = this.#models.get(name);
    if (model) return model;
    const targets = this.#unserved(name);
    const [found] = targets.flatMap((target) => this.copiesOf(target).map((copy) => copy.found));
    const state = found && this.#withdrawn.has(found.name) ? 'UNLOADING' : found?.state;
    if (state === 'LOADING' || state === 'UNLOADING')
      throw new ApiError('model_not_ready', `The model ${name} is ${state.toLowerCase()}. Try again later.`, {
        param: 'model',
        retryAfter: 2,
      });
    if (targets.some((target) => this.#hasFailedEngine(target))) throw this.#engineFailed(name);
    const silent = this.#servers.all.filter(({ isSilent }) => isSilent);
    const isExpectedBack = silent.some(({ lastNames }) => targets.some((target) => lastNames.has(target)));
    if (!found && silent.length === this.#servers.all.length)
      throw new ApiError('server_not_ready', 'No inference server is reachable. Try again later.', { retryAfter: 2 });
    if (isExpectedBack)
      throw new ApiError('server_not_ready', 'The server of this model is unreachable. Try again later.', {
        retryAfter: 2,
      });
    const reason = found ? ` It is not served: ${refusalOf(found)}.` : '';
    throw new ApiError('model_not_found', `The model ${JSON.stringify(name)} does not exist.${reason}`, {
      param: 'model',
      ...(found ? {} : { reason: 'unknown_model' }),
    });
  }

  /** The same for a request, which may name an adapter after the model. */
  findForRequest(name: string): ServedModel {
    if (this.#models.has(name)) return requireText(this.find(name));
    for (const { base, adapter } of readingsOf(name, this.#options)) {
      const model = this.#models.get(base);
      const found = model && generatesText(model) && adapter ? this.withAdapter(model, adapter) : undefined;
      if (found) return found;
    }
    return requireText(this.find(name));
  }

  /** The models that a name may mean and that are not served now. */
  #unserved(name: string): string[] {
    return readingsOf(name, this.#options)
      .filter(({ base }) => !this.#models.has(base))
      .map(({ root }) => root);
  }

  /** A model with an adapter; undefined if the model has no adapters. */
  withAdapter(model: ServedModel, adapter: string): ServedModel | undefined {
    const choice = model.adapters.choose(adapter);
    const name = model.name + this.#options.loraSeparator + adapter;
    return choice && { ...model, name, parent: model.name, ...choice };
  }

  /** The model on the servers that a name means, loaded or not; undefined: no server has it. */
  rootOf(name: string): string | undefined {
    const served = this.#models.get(name);
    if (served) return served.root;
    const isThere = (root: string): boolean => this.copiesOf(root).length > 0;
    const [own, ...adapted] = readingsOf(name, this.#options);
    if (own && isThere(own.root)) return own.root;
    for (const { base, adapter } of adapted) {
      const model = this.#models.get(base);
      if (model && adapter && ownsAdapter(model, adapter)) return model.root;
    }
    return this.#unserved(name).find(isThere);
  }

  /** A model on each server that has it. */
  copiesOf(root: string): ModelCopy[] {
    return this.#servers.copiesOf(root);
  }

  /** The names of all models in the servers' repositories. */
  names(): string[] {
    return this.#servers.names();
  }

  /** Names that can be served and their models: each model under its own name, then the aliases. */
  targets(): ReadonlyMap<string, string> {
    return new Map([...this.names().map((name) => [name, name] as const), ...this.#options.aliases]);
  }

  /** Whether this model of the servers is served. */
  isOffered(root: string): boolean {
    return this.#roots.has(root);
  }

  /** Whether this model of the servers could not serve requests when it was last ready, with the current settings. */
  isUnfit(root: string): boolean {
    return this.#unfit.has(root);
  }

  /** Stops requests to these models, until all functions that it returned for them are called. */
  withdraw(roots: readonly string[]): () => void {
    this.#withdrawn.add(roots);
    for (const root of roots) this.#assembly.learned.forgetModel(root);
    this.#rebuild();
    return () => {
      this.#withdrawn.remove(roots);
      this.#rebuild();
    };
  }

  /** Whether a model gets no requests because it is being unloaded. */
  isWithdrawn(root: string): boolean {
    return this.#withdrawn.has(root);
  }

  /** Seconds since 1970 at which a name was first seen. */
  createdAt(name: string): number {
    const known = this.#firstSeen.get(name);
    if (known !== undefined) return known;
    const now = Math.floor(Date.now() / 1000);
    this.#firstSeen.set(name, now);
    return now;
  }

  /** Why no model can serve requests; undefined if one can. */
  notReadyReason(): string | undefined {
    if (this.#models.size > 0) return undefined;
    if (this.#options.loadsOnDemand && this.names().length > 0) return undefined;
    const errors = this.#servers.all.map(({ error }) => error).filter((error) => error !== undefined);
    if (errors.length === this.#servers.all.length && errors.length > 0) return 'No inference server is reachable.';
    const roots = this.names().filter((root) => this.#hasFailedEngine(root));
    if (roots.length > 0) return `No model is ready. The engine of ${roots.join(', ')} has failed.`;
    return 'No model is ready.';
  }

  /** The model table: every model of every server, served or not. */
  rows(): ModelRow[] {
    return modelRows({
      servers: this.#servers.all,
      served: this.list(),
      aliases: this.#options.aliases,
      expectedModels: this.#options.expectedModels ?? [],
      isWithdrawn: (root) => this.isWithdrawn(root),
      engineFailure: this.#engineFailure,
    });
  }

  /** Applies the current engine failures. */
  followEngines(): void {
    this.#rebuild();
  }

  /** Whether the engine of this model has failed on a server, in any state that the server reports. */
  hasFailedOn(server: InferenceServer, root: string): boolean {
    const watched = this.#servers.all.find((each) => each.server === server);
    const found = watched?.found.find(({ name }) => name === root);
    return found !== undefined && this.#engineFailure(server, found.ready ?? { name: root }) !== undefined;
  }

  #hasFailedEngine(root: string): boolean {
    return this.#servers.all.some(({ server }) => this.hasFailedOn(server, root));
  }

  #engineFailed(name: string): ApiError {
    const { engineOutlook = '' } = this.#options;
    return new ApiError('model_not_ready', `The engine of the model ${name} has failed. ${engineOutlook}`.trimEnd(), {
      param: 'model',
      retryAfter: engineRetryAfter,
    });
  }

  readonly #engineFailure = (
    server: InferenceServer,
    { name, target }: Pick<NonNullable<FoundModel['ready']>, 'name' | 'target'>,
  ) => this.#options.engineFailure?.(server, target?.name ?? name);

  /** Applies the current state of servers, engines and settings. */
  #rebuild(): void {
    this.#unfit.see(this.#servers.all.flatMap(({ found }) => found));
    const targets = [...this.targets()].map(([name, root]) => ({ name, root }));
    this.#models = this.#assembly.assemble(targets.filter(({ root }) => !this.#withdrawn.has(root)));
    this.#roots = new Set([...this.#models.values()].map(({ root }) => root));
    const rows = this.rows();
    const text = JSON.stringify(rows);
    if (text === this.#lastRows) return;
    this.#lastRows = text;
    this.#options.onChange?.(rows);
  }
}

/** Whether a request with this adapter belongs to the model, even if the model rejects the adapter as unknown. */
function ownsAdapter(model: NamedModel, adapter: string): boolean {
  if (!generatesText(model)) return false;
  try {
    return model.adapters.choose(adapter) !== undefined;
  } catch {
    return true;
  }
}

/** Why a model is not served, for clients. The server's own reason may contain paths and is only for the table. */
function refusalOf({ ready, reason }: FoundModel): string {
  if (ready && 'reason' in ready.detection) return ready.detection.reason;
  const advice = vllmMismatch(reason);
  return advice === undefined ? 'it is not loaded' : `it could not be loaded. ${advice}`;
}
