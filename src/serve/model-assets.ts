import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandInput } from '../config/load.ts';
import type { ModelSettings } from '../config/model-settings.ts';
import type { ModelConfig } from '../kserve/messages.ts';
import type { FoundServedModel } from '../models/registry-options.ts';
import { loadPromptAssets, type PromptAssets } from '../prompt/assets.ts';
import { boundedTokenizer } from '../prompt/bounded-tokenizer.ts';
import { jinjaTemplate } from '../prompt/chat-template.ts';
import { hubSettings } from '../prompt/hub-request.ts';
import type { Tokenizer } from '../tokenizer.ts';
import type { LiveSettings } from './live-settings.ts';
import type { Terminal } from './terminal.ts';

type Settings = CommandInput['settings'];

/** Loads the tokenizer and chat template of models: those of the settings, else those of the server. */
export function assetLoader(
  live: Pick<LiveSettings, 'current'>,
  { environment, progress, stop }: Pick<Terminal, 'environment' | 'progress' | 'stop'>,
  onNote: (note: string) => void,
): (found: FoundServedModel, own: ModelSettings) => Promise<PromptAssets> {
  const settings = live.current;
  const { hfEndpoint: endpoint, hfToken: token, cacheDir } = settings;
  const hub = hubSettings({ endpoint, token, cacheFolder: join(cacheDir, 'hub') }, environment);
  const bounded = (tokenizer: Tokenizer) => boundedTokenizer(tokenizer, () => live.current.maxPromptSize);
  return async (found, own) => {
    const historyTemplate = await historyTemplateOf(settings);
    const template = own.tokenizer === undefined ? configuredTemplate(found.config) : undefined;
    const named = await loadPromptAssets({
      tokenizer: own.tokenizer ?? found.tokenizerDirectory,
      chatTemplate: own.chatTemplate,
      addsBos: own.addsSpecialTokens,
      // The template of the model takes precedence over the one for models without a template.
      historyTemplate: template ? undefined : historyTemplate,
      hub,
      tokenCacheSize: () => live.current.tokenCacheSize,
      signal: stop,
      onNote,
      onProgress: ({ name, file, received, total }) => progress({ what: `${name}/${file}`, done: received, total }),
    });
    // An engine that returns tokens needs a tokenizer that can decode them.
    if (found.contract?.speaksTokens) await named.tokenizer?.table?.();
    const tokenizer = named.tokenizer ?? found.group.servers[0]?.tokenizerOf?.(found.model, found.version);
    return { ...(template ? { template } : {}), ...named, ...(tokenizer ? { tokenizer: bounded(tokenizer) } : {}) };
  };
}

/** The template in a model's configuration, which embedded models have. */
function configuredTemplate({ name, parameters }: ModelConfig): PromptAssets['template'] {
  const text = parameters['chat_template']?.string_value;
  if (!text) return undefined;
  const specialTokens = Object.fromEntries(
    ['bos_token', 'eos_token'].flatMap((key) => {
      const value = parameters[key]?.string_value;
      return value === undefined ? [] : [[key, value]];
    }),
  );
  return jinjaTemplate({ source: `the model ${name} itself`, templates: { default: text }, specialTokens });
}

async function historyTemplateOf({ historyTemplate, historyTemplateFile }: Settings): Promise<string | undefined> {
  return historyTemplateFile === undefined ? historyTemplate : readFile(historyTemplateFile, 'utf8');
}
