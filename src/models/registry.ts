import { engineRetryAfter } from '../contracts/engine-failed.ts';
import { ApiError } from '../errors.ts';
import type { EngineFailure } from '../kserve/engines.ts';
import type { ModelConfig } from '../kserve/messages.ts';
import type { InferenceServer } from '../kserve/server.ts';
import type { ServerGroup } from '../kserve/server-group.ts';
import type { StatusError } from '../kserve/status.ts';
import type { FoundModel } from './discovery.ts';
import type { ModelHints } from './fit.ts';
import { holdersOf } from './holders.ts';
import { LearnedFacts } from './learned-facts.ts';
import { modelRows } from './model-rows.ts';
import { generatesText, type ModelRow, type NamedModel, type ServedModel } from './served-model.ts';
import { UnfitModels } from './unfit-models.ts';
import type { VllmFolder } from './vllm-folder.ts';
import { WatchedServer } from './watched-server.ts';

/** What the registry is told of the outside. */
export interface RegistryOptions {
  readonly servers: readonly InferenceServer[];
  /** Milliseconds between two looks at a server. */
  readonly refreshInterval: number;
  /** The servers that have a model ready as the one that its requests go to; the model goes by its name on them. */
  groupOf(model: string, servers: readonly InferenceServer[]): ServerGroup;
  /** What the operator has set for a model that bears on how it is spoken to. */
  hints(model: string): ModelHints;
  /** What stands between a model and its LoRA adapter in a name. */
  readonly loraSeparator: string;
  /** Further names under which a model is served; they come before the servers' own. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Everything about a served model that the servers do not tell. */
  describe(found: FoundServedModel): NamedModel;
  /** Whether a model that is in a repository is loaded when it is asked for. */
  readonly loadsOnDemand?: boolean;
  /** What `describe` reads for a served name, as a text: where it has changed, the model is described anew. */
  basisOf?(name: string): string;
  onChange?(rows: readonly ModelRow[]): void;
  /** How the engine of a model has failed on a server; undefined: it has not. The model goes by its name there. */
  engineFailure?(server: InferenceServer, model: string): EngineFailure | undefined;
  /** What Conch does about a failed engine, as a sentence. */
  readonly engineOutlook?: string;
  onServer?(server: string, fault: Error | undefined): void;
  /** Called after every look at a server. */
  onLook?(server: InferenceServer, fault: Error | undefined): void;
}

/** What the servers tell of a model that can be served. */
export interface FoundServedModel
  extends Pick<
      NamedModel,
      'name' | 'root' | 'model' | 'version' | 'contract' | 'embedding' | 'rerank' | 'group' | 'created' | 'learn'
    >,
    Pick<ServedModel, 'postprocessors'> {
  readonly config: ModelConfig;
  /** Where the model's own configuration says that its tokenizer is. */
  readonly tokenizerDirectory: string | undefined;
  /** What the files of a vLLM model say, where they can be read here. */
  readonly vllm?: VllmFolder | undefined;
  /** The context length that its engine has told by refusing a prompt. */
  readonly learnedContext?: number | undefined;
  /** The same model before something was learnt of it: what it has loaded still holds. */
  readonly loadedAs?: Pick<NamedModel, 'assets' | 'loadedAssets'> | undefined;
}

/** What a name may stand for: a model on the servers, or one with an adapter. */
interface Reading {
  /** The name without the adapter. */
  readonly base: string;
  readonly root: string;
  readonly adapter: string | undefined;
}

/** What a served model was described by. */
interface Basis {
  readonly basis: string | undefined;
  readonly ready: NonNullable<FoundModel['ready']>;
}

/** Which models are served now. It looks at every server over and over, each at its own pace. */
export class ModelRegistry {
  readonly #options: RegistryOptions;
  readonly #newWatch: (server: InferenceServer) => WatchedServer;
  #watched: readonly WatchedServer[];
  readonly #firstSeen = new Map<string, number>();
  /** What the models that are served now were described by. */
  #bases = new Map<string, Basis>();
  #isStarted = false;
  #models = new Map<string, NamedModel>();
  /** The models on the servers that stand behind those. */
  #roots: ReadonlySet<string> = new Set();
  /** Models that take no more requests because they are being unloaded, and how many times they were withdrawn. */
  readonly #withdrawn = new Map<string, number>();
  readonly #unfit = new UnfitModels();
  readonly #learned = new LearnedFacts();
  #lastRows = '';

  constructor(options: RegistryOptions) {
    this.#options = options;
    const watching = {
      refreshInterval: () => options.refreshInterval,
      hints: (model: string) => options.hints(model),
      onServer: (server: string, fault: Error | undefined) => options.onServer?.(server, fault),
      onLook: (server: InferenceServer, fault: Error | undefined) => {
        options.onLook?.(server, fault);
        if (fault) this.#learned.forgetServer(server);
        this.#rebuild();
      },
    };
    this.#newWatch = (server) => new WatchedServer(server, watching);
    this.#watched = options.servers.map(this.#newWatch);
  }

  /** Takes the first look at every server and goes on looking in the background. */
  async start(): Promise<void> {
    this.#isStarted = true;
    await this.refresh();
    for (const watched of this.#watched) watched.watch();
  }

  /**
   * Takes over that these are the servers now: new ones are looked at, and nothing is sent any more to those that went.
   * Where nobody else answers, those serve on until a new one was seen. Resolves when they are no longer asked.
   */
  async follow(servers: readonly InferenceServer[]): Promise<void> {
    const before = this.#watched;
    const next = servers.map((server) => before.find((watched) => watched.server === server) ?? this.#newWatch(server));
    const gone = before.filter((watched) => !next.includes(watched));
    const added = this.#isStarted ? next.filter((watched) => !before.includes(watched)) : [];
    const isBridged = added.length > 0 && next.every(({ isSilent }) => isSilent);
    this.#watched = isBridged ? [...next, ...gone] : next;
    this.#rebuild();
    const looks = added.map(async (watched) => {
      await watched.look();
      if (watched.isSilent) throw watched.fault ?? new Error('It was not looked at.');
    });
    for (const watched of added) watched.watch();
    const firstSeen = Promise.any(looks).catch(() => undefined);
    if (isBridged) await firstSeen;
    this.#watched = this.#watched.filter((watched) => !gone.includes(watched));
    for (const watched of gone) {
      void watched.end();
      this.#learned.forgetServer(watched.server);
    }
    this.#rebuild();
  }

  /** Looks at every server once, or at these. */
  async refresh(servers = this.#watched.map(({ server }) => server)): Promise<void> {
    const wanted = this.#watched.filter(({ server }) => servers.includes(server));
    await Promise.all(wanted.map((watched) => watched.look()));
  }

  /** Takes over what `aliases`, `describe` and `hints` say now: names at once, the rest after a look at the servers. */
  async reconsider(): Promise<void> {
    this.#unfit.clear();
    this.#rebuild();
    await this.refresh();
  }

  async close(): Promise<void> {
    await Promise.all(this.#watched.map((watched) => watched.end()));
  }

  list(): NamedModel[] {
    return [...this.#models.values()];
  }

  /** The servers of now, and what was found on each. */
  servers(): readonly Pick<WatchedServer, 'server' | 'found' | 'fault' | 'hasAnswered'>[] {
    return this.#watched;
  }

  /** The model of this name; a 404 when nobody has it, a 503 when its server says that it is not ready. */
  find(name: string): NamedModel {
    const model = this.#models.get(name);
    if (model) return model;
    const targets = this.#unserved(name);
    const [found] = targets.flatMap((target) => this.copiesOf(target).map((copy) => copy.found));
    const state = found && this.#withdrawn.has(found.name) ? 'UNLOADING' : found?.state;
    if (state === 'LOADING' || state === 'UNLOADING')
      throw new ApiError('model_not_ready', `The model ${name} is ${state.toLowerCase()}.`, {
        param: 'model',
        retryAfter: 2,
      });
    if (targets.some((target) => this.#hasFailedEngine(target))) throw this.#engineFailed(name);
    const silent = this.#watched.filter(({ isSilent }) => isSilent);
    const isExpectedBack = silent.some(({ lastNames }) => targets.some((target) => lastNames.has(target)));
    if (!found && silent.length === this.#watched.length)
      throw new ApiError('server_not_ready', 'No inference server answers at the moment.', { retryAfter: 2 });
    if (isExpectedBack)
      throw new ApiError('server_not_ready', 'The server of this model does not answer at the moment.', {
        retryAfter: 2,
      });
    const reason = found ? ` It is not offered: ${refusalOf(found)}.` : '';
    throw new ApiError('model_not_found', `The model ${JSON.stringify(name)} does not exist.${reason}`, {
      param: 'model',
      ...(found ? {} : { reason: 'unknown_model' }),
    });
  }

  /** The same for a request, which may name an adapter behind a model. */
  findForRequest(name: string): ServedModel {
    if (this.#models.has(name)) return this.#generating(name);
    for (const { base, adapter } of this.#readings(name)) {
      const model = this.#models.get(base);
      const found = model && generatesText(model) && adapter ? this.withAdapter(model, adapter) : undefined;
      if (found) return found;
    }
    return this.#generating(name);
  }

  /** All that a name may stand for: the model of that name, then models with adapters, the shortest name first. */
  #readings(name: string): Reading[] {
    const { loraSeparator: separator, aliases } = this.#options;
    const readings: Reading[] = [{ base: name, root: aliases.get(name) ?? name, adapter: undefined }];
    for (let at = name.indexOf(separator); at > 0; at = name.indexOf(separator, at + 1)) {
      const base = name.slice(0, at);
      const adapter = name.slice(at + separator.length);
      if (adapter !== '') readings.push({ base, root: aliases.get(base) ?? base, adapter });
    }
    return readings;
  }

  /** The models that a name may stand for and that take no requests now. */
  #unserved(name: string): string[] {
    return this.#readings(name)
      .filter(({ base }) => !this.#models.has(base))
      .map(({ root }) => root);
  }

  #generating(name: string): ServedModel {
    const found = this.find(name);
    if (generatesText(found)) return found;
    const [does, path] = found.embedding ? ['makes embeddings', '/v1/embeddings'] : ['scores documents', '/v1/rerank'];
    throw new ApiError('invalid_request', `model: ${name} generates no text; it ${does}: POST ${path}.`, {
      param: 'model',
    });
  }

  /** A model as an adapter changes it; undefined where it has no adapters of any kind. */
  withAdapter(model: ServedModel, adapter: string): ServedModel | undefined {
    const choice = model.adapters.choose(adapter);
    const name = model.name + this.#options.loraSeparator + adapter;
    return choice && { ...model, name, parent: model.name, ...choice };
  }

  /** The model on the servers that a name stands for, loaded or not; undefined: no server has it. */
  rootOf(name: string): string | undefined {
    const served = this.#models.get(name);
    if (served) return served.root;
    const isThere = (root: string): boolean => this.copiesOf(root).length > 0;
    const [own, ...adapted] = this.#readings(name);
    if (own && isThere(own.root)) return own.root;
    for (const { base, adapter } of adapted) {
      const model = this.#models.get(base);
      if (model && adapter && answersFor(model, adapter)) return model.root;
    }
    return this.#unserved(name).find(isThere);
  }

  /** A model as each server has it that has it at all. */
  copiesOf(root: string): { readonly server: InferenceServer; readonly found: FoundModel }[] {
    return this.#watched.flatMap(({ server, found }) =>
      found.filter(({ name }) => name === root).map((model) => ({ server, found: model })),
    );
  }

  /** Everything in the servers' repositories, each under its own name. */
  names(): string[] {
    return [...new Set(this.#watched.flatMap(({ found }) => found.map(({ name }) => name)))];
  }

  /** Names that can be served and the models behind them: each model under its own name, then the aliases. */
  targets(): ReadonlyMap<string, string> {
    return new Map([...this.names().map((name) => [name, name] as const), ...this.#options.aliases]);
  }

  /** Whether requests to this model of the servers are taken. */
  isOffered(root: string): boolean {
    return this.#roots.has(root);
  }

  /** Whether this model of the servers could answer no requests when it was last ready, under the settings of now. */
  isUnfit(root: string): boolean {
    return this.#unfit.has(root);
  }

  /** Takes no more requests for these models, until all functions that it gave back for them are called. */
  withdraw(roots: readonly string[]): () => void {
    for (const root of roots) {
      this.#withdrawn.set(root, (this.#withdrawn.get(root) ?? 0) + 1);
      this.#learned.forgetModel(root);
    }
    this.#rebuild();
    return () => {
      for (const root of roots) {
        const left = (this.#withdrawn.get(root) ?? 1) - 1;
        if (left === 0) this.#withdrawn.delete(root);
        else this.#withdrawn.set(root, left);
      }
      this.#rebuild();
    };
  }

  /** Whether a model takes no more requests because it is being unloaded. */
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

  /** Why no request can be answered now; undefined when some can. */
  notReadyReason(): string | undefined {
    if (this.#models.size > 0) return undefined;
    if (this.#options.loadsOnDemand && this.names().length > 0) return undefined;
    const faults = this.#watched.map(({ fault }) => fault).filter((fault) => fault !== undefined);
    if (faults.length === this.#watched.length && faults.length > 0) return 'No inference server answers.';
    const roots = this.names().filter((root) => this.#hasFailedEngine(root));
    if (roots.length > 0) return `No model is ready. The engine of ${roots.join(', ')} has failed.`;
    return 'No model is ready.';
  }

  /** The model table: every model of every server, offered or not. */
  rows(): ModelRow[] {
    return modelRows({
      servers: this.#watched,
      served: this.list(),
      aliases: this.#options.aliases,
      isWithdrawn: (root) => this.isWithdrawn(root),
      engineFailure: this.#engineFailure,
    });
  }

  /** Takes over which engines have failed now. */
  followEngines(): void {
    this.#rebuild();
  }

  /** Whether the engine of this model has failed on a server and is not back yet, whatever the server calls it. */
  hasFailedOn(server: InferenceServer, root: string): boolean {
    const watched = this.#watched.find((each) => each.server === server);
    const found = watched?.found.find(({ name }) => name === root);
    return found !== undefined && this.#engineFailure(server, found.ready ?? { name: root }) !== undefined;
  }

  #hasFailedEngine(root: string): boolean {
    return this.#watched.some(({ server }) => this.hasFailedOn(server, root));
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

  /** Takes over what an error of an engine says of its model. */
  #learn(root: string, server: InferenceServer, error: StatusError): void {
    const copy = this.copiesOf(root).find((each) => each.server === server)?.found.ready;
    if (copy?.config.backend === 'vllm' && this.#learned.learn({ server, ready: copy }, error)) this.#rebuild();
  }

  /** Puts together what all servers have. A model that did not change keeps its object, and with it what it has loaded. */
  #rebuild(): void {
    this.#unfit.see(this.#watched.flatMap(({ found }) => found));
    const models = new Map<string, NamedModel>();
    const bases = new Map<string, Basis>();
    for (const [name, target] of this.targets()) {
      const holders = holdersOf(this.#watched, target, this.#engineFailure);
      const [first] = holders;
      if (!first || this.#withdrawn.has(target)) continue;
      const servers = holders.map(({ server }) => server);
      const { ready } = first;
      const { contract, embedding, rerank } = this.#learned.apply(first, holders);
      const { name: model, version } = ready.target ?? ready;
      const before = this.#models.get(name);
      const basis = this.#options.basisOf?.(name);
      bases.set(name, { basis, ready });
      const last = this.#bases.get(name);
      const isLike =
        before !== undefined &&
        before.root === target &&
        before.version === version &&
        last?.basis === basis &&
        sameMembers(before.group.servers, servers);
      if (isLike && before.contract === contract && before.embedding === embedding && before.rerank === rerank) {
        models.set(name, before);
        continue;
      }
      // One of which only something was learnt keeps its tokenizer and its servers.
      const taught = isLike && last?.ready === ready ? before : undefined;
      const { config, tokenizerDirectory, postprocessors, vllm } = ready;
      const found = { name, root: target, model, version, contract, embedding, rerank, postprocessors };
      models.set(
        name,
        this.#options.describe({
          ...found,
          config,
          tokenizerDirectory,
          vllm,
          group: taught?.group ?? this.#options.groupOf(model, servers),
          created: this.createdAt(name),
          learnedContext: this.#learned.of(holders)?.context,
          learn: (server, error) => this.#learn(target, server, error),
          loadedAs: taught,
        }),
      );
    }
    this.#models = models;
    this.#roots = new Set([...models.values()].map(({ root }) => root));
    this.#bases = bases;
    const rows = this.rows();
    const text = JSON.stringify(rows);
    if (text === this.#lastRows) return;
    this.#lastRows = text;
    this.#options.onChange?.(rows);
  }
}

/** Whether a request with this adapter is the model's to answer, if only by saying that it has none of that name. */
function answersFor(model: NamedModel, adapter: string): boolean {
  if (!generatesText(model)) return false;
  try {
    return model.adapters.choose(adapter) !== undefined;
  } catch {
    return true;
  }
}

function sameMembers<Item>(a: readonly Item[], b: readonly Item[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}

/** Why a model is not offered, for clients: what its server says of it may name paths and is for the table alone. */
function refusalOf({ ready }: FoundModel): string {
  return ready && 'reason' in ready.detection ? ready.detection.reason : 'it is not loaded';
}
