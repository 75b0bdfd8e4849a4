import { type ModelSettings, modelSettings } from '../config/model-settings.ts';
import { ApiError } from '../errors.ts';
import { firstRows, rowAbilities } from '../models/abilities.ts';
import { fingerprintOf } from '../models/fingerprint.ts';
import type { FoundServedModel, RegistryOptions } from '../models/registry-options.ts';
import type { PromptAssets } from '../prompt/assets.ts';
import type { LiveSettings } from './live-settings.ts';
import type { AdapterFinder } from './model-adapters.ts';
import { assetLoader } from './model-assets.ts';
import type { Terminal } from './terminal.ts';

/** Milliseconds between a failed load and the next try. */
const retryPause = 5_000;

/** What people are told while tokenizers are fetched and loaded. */
export interface AssetListener {
  readonly onNote: (note: string) => void;
  readonly onFault: (model: string, fault: Error) => void;
}

/** Adds to a model that was found what the settings say of it: tokenizer, template, defaults and context length. */
export function modelDescriber(
  live: Pick<LiveSettings, 'current'>,
  terminal: Pick<Terminal, 'version' | 'environment' | 'progress' | 'stop'>,
  { onNote, onFault }: AssetListener,
  adaptersOf: AdapterFinder,
): RegistryOptions['describe'] {
  return (found) => {
    const settings = live.current;
    const loadAssets = assetLoader(live, terminal, onNote);
    const own = modelSettings(settings, found.name);
    for (const note of ineffective(found, own)) onNote(note);
    const { loadedAs, ...model } = found;
    const assets = loadedAs
      ? { load: loadedAs.assets, loaded: loadedAs.loadedAssets }
      : onceAtATime(() =>
          loadAssets(found, own).catch((error: unknown) => {
            onFault(found.name, error instanceof Error ? error : new Error(String(error)));
            throw unloadable(error);
          }),
        );
    // Loaded before the first request needs it; a fault is reported and met again by that request.
    assets.load().catch(() => undefined);
    return {
      ...model,
      fingerprint: fingerprintOf(terminal.version, found.model, found.version, JSON.stringify(own)),
      defaults: { ...found.group.servers[0]?.defaultsOf?.(found.model), ...own.defaults },
      system: own.system,
      adapters: adaptersOf(found, own),
      loraTaskId: own.loraTaskId,
      toolCallParser: own.toolCallParser,
      reasoningParser: own.reasoningParser,
      imagePlaceholder: own.imagePlaceholder,
      mostHeldOfCalls: settings.maxToolCallParseBytes,
      tokenizerName: tokenizerName(found, own),
      addsSpecialTokens: own.addsSpecialTokens ?? found.contract?.addsSpecialTokens ?? true,
      assets: assets.load,
      loadedAssets: assets.loaded,
      contextLength: () => contextLengthOf(found, own, assets.loaded()),
    };
  };
}

/** What is set, else what is known; rows of an input that has a length of its own are never longer. */
function contextLengthOf(found: FoundServedModel, own: ModelSettings, assets: PromptAssets | undefined) {
  const bound = found.contract ? undefined : firstRows(found.rows)?.longest;
  if (own.contextLength === undefined) return longestOf(found, assets);
  return Math.min(own.contextLength, bound ?? own.contextLength, found.learnedContext ?? own.contextLength);
}

/** Settings that bear on models of rows alone, on one that generates text. An alias has them of its model. */
function ineffective({ name, root, contract }: FoundServedModel, own: ModelSettings): string[] {
  if (!contract || name !== root) return [];
  const set = Object.values(rowAbilities).filter((task) => own[task.name] !== undefined);
  return set.map(
    ({ name: key, lacks, besideText = lacks }) =>
      `models.${root}.${key} has no effect: this model generates text, and ${besideText}.`,
  );
}

/** What model or tokenizer say of the length of a text: for vectors the folder knows best what they were trained with. */
function longestOf({ contract, rows }: FoundServedModel, assets: PromptAssets | undefined) {
  if (contract) return contract.limits.context ?? assets?.modelMaxLength;
  return firstRows(rows)?.longest ?? assets?.sentence?.longest ?? assets?.modelMaxLength;
}

/** Loads once; after a failure and a pause the next caller tries again: a hub that was away may be back. */
function onceAtATime(load: () => Promise<PromptAssets>) {
  let loading: Promise<PromptAssets> | undefined;
  let loaded: PromptAssets | undefined;
  const start = async (): Promise<PromptAssets> => {
    try {
      loaded = await load();
      return loaded;
    } catch (error) {
      setTimeout(() => {
        loading = undefined;
      }, retryPause).unref();
      throw error;
    }
  };
  return {
    load: (): Promise<PromptAssets> => {
      loading ??= start();
      return loading;
    },
    loaded: (): PromptAssets | undefined => loaded,
  };
}

function tokenizerName(
  { group: { servers }, tokenizerDirectory }: FoundServedModel,
  { tokenizer }: ModelSettings,
): string {
  return tokenizer ?? tokenizerDirectory ?? (servers[0]?.tokenizerOf ? 'its own' : '-');
}

function unloadable(cause: unknown): ApiError {
  const message = 'The tokenizer of this model could not be loaded; the log has the reason.';
  return new ApiError('model_not_ready', message, { cause, retryAfter: 5 });
}
