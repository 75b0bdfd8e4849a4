import { isConchModel } from '../contracts/detect.ts';
import type { ModelContracts } from '../contracts/row-contracts.ts';
import type { InferenceServer } from '../kserve/server.ts';
import type { StatusError } from '../kserve/status.ts';
import type { FoundModel } from './discovery.ts';
import { holdersOf } from './holders.ts';
import { LearnedFacts } from './learned-facts.ts';
import type { RegistryOptions } from './registry-options.ts';
import type { NamedModel } from './served-model.ts';
import type { WatchedServers } from './watched-servers.ts';

type Ready = NonNullable<FoundModel['ready']>;

/** What a served model was assembled from, besides the servers that have it. */
interface Basis {
  readonly text: string | undefined;
  readonly ready: Ready;
}

interface AssemblyOptions {
  readonly options: RegistryOptions;
  readonly servers: WatchedServers;
  /** Whether the engine of a model has failed on a server. */
  readonly engineFailure: (server: InferenceServer, ready: Ready) => unknown;
  readonly createdAt: (name: string) => number;
  /** Called when an error of an engine had new facts about its model. */
  readonly onLearned: () => void;
}

/** A name that can be served, and its model on the servers. */
interface Target {
  readonly name: string;
  readonly root: string;
}

/** Assembles the served models from the models of all servers. */
export class ModelAssembly {
  readonly #parts: AssemblyOptions;
  readonly learned = new LearnedFacts();
  #models: ReadonlyMap<string, NamedModel> = new Map();
  /** What these were assembled from. */
  #bases: ReadonlyMap<string, Basis> = new Map();

  constructor(parts: AssemblyOptions) {
    this.#parts = parts;
  }

  /** The models that are served under these names. An unchanged model stays the same object, with its loaded assets. */
  assemble(targets: Iterable<Target>): ReadonlyMap<string, NamedModel> {
    const models = new Map<string, NamedModel>();
    const bases = new Map<string, Basis>();
    for (const target of targets) {
      const { servers, engineFailure, options } = this.#parts;
      const holders = holdersOf(servers.all, target.root, engineFailure);
      const [first] = holders;
      if (!first) continue;
      bases.set(target.name, { text: options.basisOf?.(target.name), ready: first.ready });
      models.set(target.name, this.#model(target, holders, bases));
    }
    this.#models = models;
    this.#bases = bases;
    return models;
  }

  #model({ name, root }: Target, holders: ReturnType<typeof holdersOf>, bases: ReadonlyMap<string, Basis>): NamedModel {
    const { options, createdAt } = this.#parts;
    const [first] = holders as [(typeof holders)[number]];
    const servers = holders.map(({ server }) => server);
    const contracts = this.learned.apply(first, holders);
    const { ready } = first;
    const { name: model, version } = ready.target ?? ready;
    const before = this.#models.get(name);
    const last = this.#bases.get(name);
    const isLike =
      before !== undefined &&
      before.root === root &&
      before.version === version &&
      last?.text === bases.get(name)?.text &&
      sameMembers(before.group.servers, servers);
    if (isLike && sameContracts(before, contracts)) return before;
    // A model with only new learned facts keeps its tokenizer and its servers.
    const taught = isLike && last?.ready === ready ? before : undefined;
    const { config, tokenizerDirectory, postprocessors, vllm } = ready;
    return options.describe({
      name,
      root,
      model,
      version,
      contract: contracts.contract,
      rows: contracts.rows,
      postprocessors,
      config,
      tokenizerDirectory,
      vllm,
      group: taught?.group ?? options.groupOf(model, servers),
      created: createdAt(name),
      learnedContext: this.learned.of(holders)?.context,
      learn: (server, error) => this.#learn(root, server, error),
      loadedAs: taught,
    });
  }

  /** Learns from an error of an engine. */
  #learn(root: string, server: InferenceServer, error: StatusError): void {
    const { servers, onLearned } = this.#parts;
    const copy = servers.copiesOf(root).find((each) => each.server === server)?.found.ready;
    const hasVllm = copy && (copy.config.backend === 'vllm' || isConchModel(copy.config));
    if (hasVllm && this.learned.learn({ server, ready: copy }, error)) onLearned();
  }
}

function sameContracts(before: ModelContracts, now: ModelContracts): boolean {
  return before.contract === now.contract && before.rows === now.rows;
}

function sameMembers<Item>(a: readonly Item[], b: readonly Item[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}
