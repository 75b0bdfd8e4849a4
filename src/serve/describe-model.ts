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

/** Receives notes and errors of loading tokenizers. */
export interface AssetListener {
  readonly onNote: (note: string) => void;
  readonly onError: (model: string, error: Error) => void;
}

/** Adds the settings of a model to what the servers report: tokenizer, template, defaults and context length. */
export function modelDescriber(
  live: Pick<LiveSettings, 'current'>,
  terminal: Pick<Terminal, 'version' | 'environment' | 'progress' | 'stop'>,
  { onNote, onError }: AssetListener,
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
            onError(found.name, error instanceof Error ? error : new Error(String(error)));
            throw unloadable(error);
          }),
        );
    // Loaded before the first request needs it. An error is reported here, and again by that request.
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
      toolPrompt: own.toolPrompt === 'none' ? undefined : own.toolPrompt,
      mostImages: settings.maxImages,
      mostHeldOfCalls: settings.maxToolCallParseBytes,
      tokenizerName: tokenizerName(found, own),
      addsSpecialTokens: own.addsSpecialTokens ?? found.contract?.addsSpecialTokens ?? true,
      assets: assets.load,
      loadedAssets: assets.loaded,
      contextLength: () => contextLengthOf(found, own, assets.loaded()),
      enforcesContext: enforcesContext(found, own),
    };
  };
}

/** The set context length, else the known one. A limit of the model's own input or a learned one still applies. */
function contextLengthOf(found: FoundServedModel, own: ModelSettings, assets: PromptAssets | undefined) {
  const bound = found.contract ? undefined : firstRows(found.rows)?.longest;
  if (own.contextLength === undefined) return longestOf(found, assets);
  return Math.min(own.contextLength, bound ?? own.contextLength, found.learnedContext ?? own.contextLength);
}

/** Whether the set context length is shorter than the one that the engine enforces itself, as far as that is known. */
function enforcesContext({ contract, learnedContext }: FoundServedModel, { contextLength }: ModelSettings): boolean {
  if (contextLength === undefined) return false;
  const known = [contract?.limits.context, learnedContext].filter((length) => length !== undefined);
  return known.every((length) => contextLength < length);
}

/** Notes on settings of row tasks that a text model ignores. An alias has the settings of its model. */
function ineffective({ name, root, contract }: FoundServedModel, own: ModelSettings): string[] {
  if (!contract || name !== root) return [];
  const set = Object.values(rowAbilities).filter((task) => own[task.name] !== undefined);
  return set.map(
    ({ name: key, lacks, besideText = lacks }) =>
      `models.${root}.${key} is ignored: this model generates text, and ${besideText}.`,
  );
}

/** The length limit from the model or its tokenizer. For embeddings, the tokenizer folder has the trained length. */
function longestOf({ contract, rows }: FoundServedModel, assets: PromptAssets | undefined) {
  if (contract) return contract.limits.context ?? assets?.modelMaxLength;
  return firstRows(rows)?.longest ?? assets?.sentence?.longest ?? assets?.modelMaxLength;
}

/** Loads once. After a failure and a pause, the next caller retries: the hub may be reachable again. */
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
  const message = 'The tokenizer of this model could not be loaded. The log has the reason.';
  return new ApiError('model_not_ready', message, { cause, retryAfter: 5 });
}
