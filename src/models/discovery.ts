import { isJsonObject } from '../json-object.ts';
import type { ModelIndexEntry } from '../kserve/messages.ts';
import type { CallOptions, InferenceServer } from '../kserve/server.ts';
import { StatusError } from '../kserve/status.ts';
import { fitModel, type KnownModel, type ModelFit, type ModelHints, partsOf } from './fit.ts';

/** A model as one server has it. */
export interface FoundModel {
  readonly name: string;
  readonly version: string;
  readonly state: string;
  /** The server's reason for the state. */
  readonly reason: string;
  /** Present while the model is READY. */
  readonly ready: ReadyModel | undefined;
}

/** A ready model with its configuration and its detected contracts. */
type ReadyModel = KnownModel & ModelFit;

/** The detection result of a model, and what it depends on. */
interface CachedFit {
  readonly parts: readonly KnownModel[];
  /** The hints of the detection, as JSON. */
  readonly hinted: string;
  readonly ready: ReadyModel;
}

const callTimeout = 10_000;

/** How often the index is requested before the server counts as unreachable. */
const mostIndexCalls = 3;

/** Lists the models of one server repeatedly. Configurations are requested again only when something changed. */
export class Discovery {
  readonly server: InferenceServer;
  readonly #hints: (model: string) => ModelHints;
  #lastIndex = '';
  /** By name and version. A model with an unchanged configuration stays the same object. */
  readonly #known = new Map<string, { readonly text: string; readonly model: KnownModel }>();
  /** By name: detection results, valid until the model or one of its parts changes. */
  readonly #fitted = new Map<string, CachedFit>();

  #isFitStale = false;

  constructor(server: InferenceServer, hints: (model: string) => ModelHints) {
    this.server = server;
    this.#hints = hints;
  }

  /** The server's current models, each in its newest ready version. */
  async look(signal: AbortSignal): Promise<FoundModel[]> {
    const options = { signal, timeout: callTimeout };
    const models = await this.#index(options);
    const index = JSON.stringify(models);
    const isStale = index !== this.#lastIndex;
    let isWhole = true;
    const seen = await Promise.all(
      newestOfEach(models).map(async (entry): Promise<SeenModel> => {
        if (entry.state !== 'READY') return { entry, known: undefined };
        try {
          return { entry, known: await this.#inspect(entry.name, entry.version, isStale, options) };
        } catch (error) {
          // Retried at the next look. Until then the model is unchanged: one failed call does not change it.
          isWhole = false;
          const known = this.#known.get(keyOf(entry))?.model;
          return known ? { entry, known } : { entry: { ...entry, state: 'UNKNOWN', reason: String(error) }, known };
        }
      }),
    );
    this.#lastIndex = isWhole ? index : '';
    const all = seen.flatMap(({ known }) => (known ? [known] : []));
    this.#forgetOthers(all);
    const found = await Promise.all(
      seen.map(async ({ entry: { name, version, state, reason }, known }) => {
        const ready = known && (await this.#fit(known, all));
        return { name, version, state, reason, ready };
      }),
    );
    this.#isFitStale = false;
    return found;
  }

  /** Makes the next look request everything again. */
  forget(): void {
    this.#lastIndex = '';
    this.#isFitStale = true;
  }

  #forgetOthers(all: readonly KnownModel[]): void {
    const keys = new Set(all.map(keyOf));
    const names = new Set(all.map(({ name }) => name));
    for (const key of this.#known.keys()) if (!keys.has(key)) this.#known.delete(key);
    for (const name of this.#fitted.keys()) if (!names.has(name)) this.#fitted.delete(name);
  }

  /**
   * The index of the server. A broken connection fails all its calls and says nothing about the server, so the call is
   * repeated on a new connection. If that cannot be opened, the call fails at once.
   */
  async #index(options: CallOptions): Promise<readonly ModelIndexEntry[]> {
    for (let calls = 1; ; calls++) {
      try {
        return (await this.server.call('RepositoryIndex', {}, options)).models;
      } catch (error) {
        if (calls === mostIndexCalls || !(error instanceof StatusError && error.unreachable)) throw error;
      }
    }
  }

  async #inspect(name: string, version: string, isStale: boolean, options: CallOptions): Promise<KnownModel> {
    const key = keyOf({ name, version });
    const before = this.#known.get(key);
    if (before && !isStale) return before.model;
    const { config: received } = await this.server.call('ModelConfig', { name, version }, options);
    const config = inOrder(received);
    const text = JSON.stringify(config);
    if (before?.text === text) return before.model;
    const model = { name, version, config };
    this.#known.set(key, { text, model });
    return model;
  }

  async #fit(model: KnownModel, all: readonly KnownModel[]): Promise<ReadyModel> {
    const parts = [model, ...partsOf(model, all)];
    const before = this.#fitted.get(model.name);
    const hints = this.#hints(model.name);
    const hinted = JSON.stringify(hints);
    const isSame =
      before?.hinted === hinted &&
      before.parts.length === parts.length &&
      before.parts.every((part, at) => part === parts[at]);
    if (isSame && !this.#isFitStale) return before.ready;
    const ready = { ...model, ...(await fitModel(model, all, hints, this.server.repositories)) };
    // Folders may have changed without the configurations. If they did not, the model stays the same object.
    const isFolderSame = JSON.stringify(before?.ready.vllm) === JSON.stringify(ready.vllm);
    if (isSame && isFolderSame && before.ready.basis === ready.basis) return before.ready;
    this.#fitted.set(model.name, { parts, hinted, ready });
    return ready;
  }
}

/** A row of the server's index, and the configuration if the model is ready. */
interface SeenModel {
  readonly entry: ModelIndexEntry;
  readonly known: KnownModel | undefined;
}

/** Sorts the keys of all objects: Triton writes the entries of a map in another order each time. */
function inOrder<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(inOrder) as Value;
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, inOrder(item)])) as Value;
}

function keyOf({ name, version }: Pick<ModelIndexEntry, 'name' | 'version'>): string {
  return `${name}:${version}`;
}

/** One row per model: its newest ready version, or else its newest. */
function newestOfEach(models: readonly ModelIndexEntry[]): ModelIndexEntry[] {
  const best = new Map<string, ModelIndexEntry>();
  for (const entry of models) {
    const other = best.get(entry.name);
    if (!other || isBetter(entry, other)) best.set(entry.name, entry);
  }
  return [...best.values()].toSorted((a, b) => a.name.localeCompare(b.name));
}

function isBetter(entry: ModelIndexEntry, other: ModelIndexEntry): boolean {
  const isReady = entry.state === 'READY';
  if (isReady !== (other.state === 'READY')) return isReady;
  return Number(entry.version) > Number(other.version);
}
