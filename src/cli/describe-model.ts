import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandInput } from '../config/load.ts';
import { type ModelSettings, modelSettings } from '../config/model-settings.ts';
import { ApiError } from '../errors.ts';
import type { RegistryOptions } from '../models/registry.ts';
import { fingerprintOf } from '../openai/answer.ts';
import { loadPromptAssets, type PromptAssets } from '../prompt/assets.ts';
import type { HubProgress } from '../prompt/hub.ts';
import { hubSettings } from '../prompt/hub-request.ts';
import type { Terminal } from './command.ts';

type Settings = CommandInput['settings'];

/** What this needs of the terminal. */
export type ModelTerminal = Pick<Terminal, 'version' | 'environment' | 'progress'>;

/** What people are told while tokenizers are fetched and loaded. */
export interface AssetListener {
  readonly onNote: (note: string) => void;
  readonly onFault: (model: string, fault: Error) => void;
}

/** Adds to a model that was found what the settings say of it: tokenizer, template, defaults and context length. */
export function modelDescriber(
  settings: Settings,
  { version, environment, progress }: ModelTerminal,
  listener: AssetListener,
): RegistryOptions['describe'] {
  const loaded = new Map<string, Promise<PromptAssets>>();
  const historyTemplate = historyTemplateOf(settings);
  const onProgress = ({ name, file, received, total }: HubProgress): void =>
    progress({ what: `${name}/${file}`, done: received, total });
  const hub = hubSettings(
    { endpoint: settings.hfEndpoint, token: settings.hfToken, cacheFolder: join(settings.cacheDir, 'hub') },
    environment,
  );
  return (found) => {
    const own = modelSettings(settings, found.name);
    const load = (): Promise<PromptAssets> => {
      const key = JSON.stringify([own.tokenizer, own.chatTemplate, own.addsSpecialTokens]);
      const known = loaded.get(key);
      if (known) return known;
      const loading = loadAssets(own, { hub, historyTemplate, onNote: listener.onNote, onProgress }).catch(
        (error: unknown) => {
          // The next request tries again: a hub that was away may be back.
          loaded.delete(key);
          listener.onFault(found.name, error instanceof Error ? error : new Error(String(error)));
          throw new ApiError(
            'model_not_ready',
            'The tokenizer of this model could not be loaded; the log has the reason.',
            {
              cause: error,
              retryAfter: 5,
            },
          );
        },
      );
      loaded.set(key, loading);
      return loading;
    };
    // Loaded before the first request needs it; a fault is reported and met again by that request.
    load().catch(() => undefined);
    return {
      ...found,
      fingerprint: fingerprintOf(version, found.model, found.version, JSON.stringify(own)),
      defaults: own.defaults ?? {},
      tokenizerName: own.tokenizer ?? '-',
      addsSpecialTokens: own.addsSpecialTokens ?? found.contract.addsSpecialTokens,
      assets: load,
      contextLength: async () =>
        own.contextLength ?? found.contract.contextLength ?? (await load().catch(() => undefined))?.modelMaxLength,
    };
  };
}

function loadAssets(
  own: ModelSettings,
  shared: Pick<Parameters<typeof loadPromptAssets>[0], 'hub' | 'historyTemplate' | 'onNote' | 'onProgress'>,
): Promise<PromptAssets> {
  const { tokenizer, chatTemplate, addsSpecialTokens: addsBos } = own;
  return loadPromptAssets({ tokenizer, chatTemplate, addsBos, ...shared });
}

function historyTemplateOf({ historyTemplate, historyTemplateFile }: Settings): string | undefined {
  return historyTemplateFile === undefined ? historyTemplate : readFileSync(historyTemplateFile, 'utf8');
}
