import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../errors.ts';
import type { ModelConfig } from '../kserve/messages.ts';
import type { InferenceServer } from '../kserve/server.ts';
import { type Abilities, abilitiesOf } from './abilities.ts';
import { Discovery, type FoundModel } from './discovery.ts';
import type { ModelHints } from './fit.ts';
import { generatesText, type ModelRow, type NamedModel, type ServedModel } from './served-model.ts';
import { UnfitModels } from './unfit-models.ts';

/** What the registry is told of the outside. */
export interface RegistryOptions {
  readonly servers: readonly InferenceServer[];
  /** Milliseconds between two looks at a server. */
  readonly refreshInterval: number;
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
  onServer?(server: string, fault: Error | undefined): void;
}

/** What the servers tell of a model that can be served. */
export interface FoundServedModel
  extends Pick<
      NamedModel,
      'name' | 'root' | 'model' | 'version' | 'contract' | 'embedding' | 'rerank' | 'servers' | 'created'
    >,
    Pick<ServedModel, 'postprocessors'> {
  readonly config: ModelConfig;
  /** Where the model's own configuration says that its tokenizer is. */
  readonly tokenizerDirectory: string | undefined;
}

/** A server, what was found on it, and why nothing was. */
interface Watched {
  readonly discovery: Discovery;
  found: readonly FoundModel[];
  fault: Error | undefined;
  hasAnswered: boolean;
  /** What it had when it last answered: these models are expected back. */
  lastNames: ReadonlySet<string>;
  /** Looks at one server follow each other, so that an older one never has the last word. */
  lastLook: Promise<void>;
}

/** What a name may stand for: a model on the servers, or one with an adapter. */
interface Reading {
  /** The name without the adapter. */
  readonly base: string;
  readonly root: string;
  readonly adapter: string | undefined;
}

/** A server that has a model ready. */
interface Holder extends Abilities {
  readonly server: InferenceServer;
  readonly ready: NonNullable<FoundModel['ready']>;
}

/** Configurations can change under the same version number: after this many looks they are all read again. */
const looksUntilForgotten = 15;

/** Which models are served now. It looks at every server over and over, each at its own pace. */
export class ModelRegistry {
  readonly #options: RegistryOptions;
  readonly #watched: readonly Watched[];
  readonly #stop = new AbortController();
  readonly #firstSeen = new Map<string, number>();
  /** What the models that are served now were described by. */
  #bases = new Map<string, string | undefined>();
  #loops: Promise<void>[] = [];
  #models = new Map<string, NamedModel>();
  /** The models on the servers that stand behind those. */
  #roots: ReadonlySet<string> = new Set();
  /** Models that take no more requests because they are being unloaded, and how many times they were withdrawn. */
  readonly #withdrawn = new Map<string, number>();
  readonly #unfit = new UnfitModels();
  #lastRows = '';

  constructor(options: RegistryOptions) {
    this.#options = options;
    this.#watched = options.servers.map((server) => ({
      discovery: new Discovery(server, (model) => options.hints(model)),
      found: [],
      fault: undefined,
      hasAnswered: false,
      lastNames: new Set<string>(),
      lastLook: Promise.resolve(),
    }));
  }

  /** Takes the first look at every server and goes on looking in the background. */
  async start(): Promise<void> {
    await this.refresh();
    this.#loops = this.#watched.map((watched) => this.#watch(watched));
  }

  /** Looks at every server once, or at these. */
  async refresh(servers = this.#options.servers): Promise<void> {
    const wanted = this.#watched.filter(({ discovery }) => servers.includes(discovery.server));
    await Promise.all(wanted.map((watched) => this.#look(watched)));
  }

  /** Takes over what `aliases`, `describe` and `hints` say now: names at once, the rest after a look at the servers. */
  async reconsider(): Promise<void> {
    this.#unfit.clear();
    this.#rebuild();
    await this.refresh();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#loops);
  }

  list(): NamedModel[] {
    return [...this.#models.values()];
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
    const silent = this.#watched.filter(({ fault, hasAnswered }) => fault || !hasAnswered);
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
    return this.#watched.flatMap(({ discovery: { server }, found }) =>
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
    for (const root of roots) this.#withdrawn.set(root, (this.#withdrawn.get(root) ?? 0) + 1);
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
    return 'No model is ready.';
  }

  /** The model table: every model of every server, offered or not. */
  rows(): ModelRow[] {
    const rows: ModelRow[] = [];
    for (const { discovery, found, fault } of this.#watched) {
      const server = discovery.server.name;
      if (fault)
        rows.push({
          name: '-',
          version: '',
          server,
          contract: '',
          tokenizer: '',
          state: 'UNREACHABLE',
          reason: fault.message,
        });
      for (const model of found) rows.push(...this.#rowsOf(model, server));
    }
    return [...rows, ...this.#strayAliases()];
  }

  /** Names for models that no server has, once all of them have answered. */
  #strayAliases(): ModelRow[] {
    if (this.#watched.some(({ fault, hasAnswered }) => fault || !hasAnswered)) return [];
    const names = new Set(this.#watched.flatMap(({ found }) => found.map(({ name }) => name)));
    return [...this.#options.aliases]
      .filter(([, target]) => !names.has(target))
      .map(([name, target]) => ({
        name,
        version: '',
        server: '-',
        contract: '-',
        tokenizer: '-',
        state: 'MISSING',
        reason: `it serves ${target}, which no server has`,
      }));
  }

  #rowsOf(found: FoundModel, server: string): ModelRow[] {
    const { name, version, state, ready } = found;
    if (this.#withdrawn.has(name)) {
      const reason = 'it is being unloaded';
      return [{ name, version, server, contract: '-', tokenizer: '-', state: 'UNLOADING', reason }];
    }
    const abilities = ready && abilitiesOf(ready);
    if (!abilities) {
      const refusal = ready && 'reason' in ready.detection ? ready.detection : undefined;
      const reason = refusal?.reason ?? found.reason;
      const row = { name, version, server, contract: '-', tokenizer: '-', state: state || 'NOT LOADED', reason };
      return [refusal?.isInner ? { ...row, isInner: true } : row];
    }
    const contract = abilities.contract?.kind ?? (abilities.embedding ? 'embedding' : 'rerank');
    const other = this.#options.aliases.get(name);
    if (other !== undefined)
      return [{ name, version, server, contract, tokenizer: '-', state, reason: `its name serves ${other}` }];
    const served = this.list().filter((model) => model.root === name);
    return served.map((model) => ({
      name: model.name,
      version,
      server,
      contract,
      tokenizer: model.tokenizerName,
      state,
      reason: model.servers.some((holder) => holder.name === server) ? '' : 'another server has it otherwise',
    }));
  }

  async #watch(watched: Watched): Promise<void> {
    const { signal } = this.#stop;
    for (let looks = 1; !signal.aborted; looks++) {
      await sleep(this.#options.refreshInterval, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      if (looks % looksUntilForgotten === 0) watched.discovery.forget();
      await this.#look(watched);
    }
  }

  #look(watched: Watched): Promise<void> {
    const look = watched.lastLook.then(() => this.#lookNow(watched));
    watched.lastLook = look.catch(() => undefined);
    return look;
  }

  async #lookNow(watched: Watched): Promise<void> {
    const { server } = watched.discovery;
    try {
      watched.found = await watched.discovery.look(this.#stop.signal);
      if (watched.fault || !watched.hasAnswered) this.#options.onServer?.(server.name, undefined);
      watched.fault = undefined;
      watched.hasAnswered = true;
      watched.lastNames = new Set(watched.found.map(({ name }) => name));
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      const fault = error instanceof Error ? error : new Error(String(error));
      if (watched.fault?.message !== fault.message) this.#options.onServer?.(server.name, fault);
      watched.fault = fault;
      watched.found = [];
      watched.discovery.forget();
    }
    this.#rebuild();
  }

  /** Puts together what all servers have. A model that did not change keeps its object, and with it what it has loaded. */
  #rebuild(): void {
    this.#unfit.see(this.#watched.flatMap(({ found }) => found));
    const models = new Map<string, NamedModel>();
    const bases = new Map<string, string | undefined>();
    for (const [name, target] of this.targets()) {
      const holders = this.#holdersOf(target);
      const [first] = holders;
      if (!first || this.#withdrawn.has(target)) continue;
      const servers = holders.map(({ server }) => server);
      const { contract, embedding, rerank, ready } = first;
      const { name: model, version } = ready.target ?? ready;
      const before = this.#models.get(name);
      const basis = this.#options.basisOf?.(name);
      bases.set(name, basis);
      const isSame =
        before !== undefined &&
        before.contract === contract &&
        before.embedding === embedding &&
        before.rerank === rerank &&
        before.root === target &&
        before.version === version &&
        this.#bases.get(name) === basis &&
        sameMembers(before.servers, servers);
      const { config, tokenizerDirectory, postprocessors } = ready;
      const created = this.createdAt(name);
      const can = { contract, embedding, rerank };
      const found = { name, root: target, model, version, ...can, servers, created, postprocessors };
      models.set(name, isSame ? before : this.#options.describe({ ...found, config, tokenizerDirectory }));
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

  /** The servers that have a model ready, in its newest version and configured alike. */
  #holdersOf(name: string): Holder[] {
    const holders = this.#watched.flatMap(({ discovery, found }) =>
      found.flatMap((model) => {
        const abilities = model.name === name && model.ready ? abilitiesOf(model.ready) : undefined;
        return abilities && model.ready ? [{ server: discovery.server, ...abilities, ready: model.ready }] : [];
      }),
    );
    const newest = Math.max(...holders.map(({ ready }) => Number(ready.version)));
    const [first, ...others] = holders.filter(({ ready }) => Number(ready.version) === newest);
    if (!first || others.length === 0) return first ? [first] : [];
    // A request is encoded once, for whichever server is next: the others must declare just the same.
    const text = declaredText(first);
    return [first, ...others.filter((holder) => declaredText(holder) === text)];
  }
}

/** All that the encoding of a request depends on. */
function declaredText({ contract, ready: { config, target, basis } }: Holder): string {
  return JSON.stringify([contract?.kind, config, target, basis]);
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
