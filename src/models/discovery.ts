import type { GenerationContract } from '../contracts/contract.ts';
import { type Detection, detectContract } from '../contracts/detect.ts';
import type { ModelConfig, ModelIndexEntry } from '../kserve/messages.ts';
import type { CallOptions, InferenceServer } from '../kserve/server.ts';

/** What a server tells of a ready model. */
interface ReadyModel {
  readonly config: ModelConfig;
  readonly detection: Detection;
}

/** A model as one server has it. */
export interface FoundModel {
  readonly name: string;
  readonly version: string;
  readonly state: string;
  /** What the server says of its state. */
  readonly reason: string;
  /** Present while the model is READY. */
  readonly ready: ReadyModel | undefined;
}

const callTimeout = 10_000;

/** Looks at one server over and over; configurations are asked for again only when something changed. */
export class Discovery {
  readonly server: InferenceServer;
  readonly #forcedContract: (model: string) => GenerationContract['kind'] | undefined;
  #lastIndex = '';
  /** By name and version. One whose configuration is read again and is the same stays the same object. */
  readonly #known = new Map<string, { readonly text: string; readonly ready: ReadyModel }>();

  constructor(server: InferenceServer, forcedContract: (model: string) => GenerationContract['kind'] | undefined) {
    this.server = server;
    this.#forcedContract = forcedContract;
  }

  /** What the server has now, the newest ready version of each model. */
  async look(signal: AbortSignal): Promise<FoundModel[]> {
    const options = { signal, timeout: callTimeout };
    const { models } = await this.server.call('RepositoryIndex', {}, options);
    const index = JSON.stringify(models);
    const isStale = index !== this.#lastIndex;
    let isWhole = true;
    const found = await Promise.all(
      newestOfEach(models).map(async ({ name, version, state, reason }): Promise<FoundModel> => {
        if (state !== 'READY') return { name, version, state, reason, ready: undefined };
        try {
          return { name, version, state, reason, ready: await this.#inspect(name, version, isStale, options) };
        } catch (error) {
          // One model that goes in this very moment is not a fault of the server's; the next look asks again.
          isWhole = false;
          return { name, version, state: 'UNKNOWN', reason: String(error), ready: undefined };
        }
      }),
    );
    this.#lastIndex = isWhole ? index : '';
    return withoutInnerParts(found);
  }

  /** Makes the next look ask for everything again. */
  forget(): void {
    this.#lastIndex = '';
  }

  async #inspect(name: string, version: string, isStale: boolean, options: CallOptions): Promise<ReadyModel> {
    const key = `${name}:${version}`;
    const known = this.#known.get(key);
    if (known && !isStale) return known.ready;
    const { config } = await this.server.call('ModelConfig', { name, version }, options);
    const text = JSON.stringify(config);
    if (known?.text === text) return known.ready;
    const ready = { config, detection: detectContract(config, this.#forcedContract(name)) };
    this.#known.set(key, { text, ready });
    return ready;
  }
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

/** A step of an ensemble that is not usable by itself says so, instead of naming its tensors. */
function withoutInnerParts(models: readonly FoundModel[]): FoundModel[] {
  const outerOf = new Map<string, string>();
  for (const { name, ready } of models)
    for (const step of ready?.config.ensemble_scheduling?.step ?? []) outerOf.set(step.model_name, name);
  return models.map((model) => {
    const outer = outerOf.get(model.name);
    if (outer === undefined || !model.ready || 'contract' in model.ready.detection) return model;
    const detection = { reason: `it is an inner part of ${outer}` };
    return { ...model, ready: { ...model.ready, detection } };
  });
}
