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

/** Finds tokenizer and chat template of models: what the settings name, else what the server itself has of the model. */
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
      // A template that the model brings along comes before one that is meant for models without.
      historyTemplate: template ? undefined : historyTemplate,
      hub,
      tokenCacheSize: () => live.current.tokenCacheSize,
      signal: stop,
      onNote,
      onProgress: ({ name, file, received, total }) => progress({ what: `${name}/${file}`, done: received, total }),
    });
    // A tokenizer whose tokens cannot be turned into text is of no use to an engine that gives tokens.
    if (found.contract?.speaksTokens) await named.tokenizer?.table?.();
    const tokenizer = named.tokenizer ?? found.group.servers[0]?.tokenizerOf?.(found.model, found.version);
    return { ...(template ? { template } : {}), ...named, ...(tokenizer ? { tokenizer: bounded(tokenizer) } : {}) };
  };
}

/** The template that a model's configuration carries, as that of an embedded model does. */
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
