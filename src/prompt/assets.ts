import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { exists, isFolder } from '../file-kind.ts';
import { messageOf } from '../thrown.ts';
import type { Tokenizer } from '../tokenizer.ts';
import { AssetError } from './asset-error.ts';
import { type ChatTemplate, jinjaTemplate } from './chat-template.ts';
import { fetchFromHub, type HubProgress, type HubSettings, isHubName } from './hub.ts';
import { readSentenceFolder, type SentenceFolder } from './sentence-folder.ts';
import { loadTokenizer } from './tokenizer.ts';
import { readTokenizerFolder, type TokenizerFolder } from './tokenizer-folder.ts';

/** What a tokenizer folder (or hub name) and the template settings give for one model. */
export interface PromptAssets {
  readonly tokenizer?: Tokenizer;
  readonly template?: ChatTemplate;
  readonly bosToken?: string;
  readonly eosToken?: string;
  /** The context that tokenizer_config.json names, where it is a sane number. */
  readonly modelMaxLength?: number;
  /** Every id that ends a response: the tokenizer's own, then those of generation_config.json. */
  readonly eosTokenIds: readonly number[];
  readonly padTokenId?: number;
  /** What the files of sentence-transformers say, where they are. */
  readonly sentence?: SentenceFolder;
  /** The folder that the files were read from. */
  readonly folder?: string;
}

interface AssetOptions {
  /** A folder, or a name on the Hugging Face hub; a folder wins. */
  readonly tokenizer?: string | undefined;
  /** A file with a Jinja template (or a chat_template.json), or the template itself. Wins over the tokenizer's own. */
  readonly chatTemplate?: string | undefined;
  /** The text of a Liquid template, used where there is no chat template. */
  readonly historyTemplate?: string | undefined;
  /** Whether the server's tokenizer puts a BOS in front; left out, it is learnt from tokenizer.json. */
  readonly addsBos?: boolean | undefined;
  readonly hub: HubSettings;
  /** Bytes for the tokens of earlier texts, of all models together. Left out, none are stored. */
  readonly tokenCacheSize?: (() => number) | undefined;
  readonly onProgress?: (progress: HubProgress) => void;
  readonly onNote?: (note: string) => void;
  readonly signal?: AbortSignal;
}

/** Loads all that prompts of one model need. Rejects with an AssetError. */
export async function loadPromptAssets(options: AssetOptions): Promise<PromptAssets> {
  const folder = options.tokenizer === undefined ? undefined : await folderOf(options.tokenizer, options);
  const found = folder === undefined ? undefined : await readTokenizerFolder(folder);
  const template = await templateOf(options, found);
  const tokenizer = folder === undefined ? undefined : await tokenizerOf(folder, options, found);
  const { bos_token: bosToken, eos_token: eosToken, pad_token: padToken } = found?.specialTokens ?? {};
  const eosTokenId = await idOf(eosToken, tokenizer);
  const padTokenId = await idOf(padToken, tokenizer);
  return {
    eosTokenIds: [...new Set([...(eosTokenId === undefined ? [] : [eosTokenId]), ...(found?.eosTokenIds ?? [])])],
    ...(padTokenId === undefined ? {} : { padTokenId }),
    ...(tokenizer ? { tokenizer } : {}),
    ...(template ? { template } : {}),
    ...(bosToken === undefined ? {} : { bosToken }),
    ...(eosToken === undefined ? {} : { eosToken }),
    ...(found?.modelMaxLength === undefined ? {} : { modelMaxLength: found.modelMaxLength }),
    ...(folder === undefined ? {} : { folder, sentence: await readSentenceFolder(folder) }),
  };
}

/** The id of a special token by its text. */
async function idOf(token: string | undefined, tokenizer: Tokenizer | undefined): Promise<number | undefined> {
  if (token === undefined || !tokenizer) return undefined;
  const ids = await tokenizer.encode(token, { addSpecialTokens: false });
  return ids.length === 1 ? ids[0] : undefined;
}

async function folderOf(name: string, options: AssetOptions): Promise<string> {
  if (await isFolder(name)) return name;
  if (basename(name) === 'tokenizer.json' && (await isFile(name))) return dirname(name);
  if (!isHubName(name)) throw new AssetError(`The tokenizer folder ${name} does not exist.`);
  const { hub: settings, onProgress, onNote, signal } = options;
  return fetchFromHub({ name, settings, onProgress, onNote, signal });
}

async function tokenizerOf(
  folder: string,
  options: AssetOptions,
  found: TokenizerFolder | undefined,
): Promise<Tokenizer | undefined> {
  const file = join(folder, 'tokenizer.json');
  const source = options.tokenizer ?? folder;
  if (!(await isFile(file))) {
    // A folder with only a template is of use; one with neither is a mistake.
    if (Object.keys(found?.templates ?? {}).length > 0 || found?.modelMaxLength !== undefined) {
      options.onNote?.(`${source} has no tokenizer.json: tokens cannot be counted.`);
      return undefined;
    }
    throw new AssetError(`${source} has neither tokenizer.json nor tokenizer_config.json.`);
  }
  const token = found?.specialTokens['bos_token'];
  if (options.addsBos === true && token === undefined) {
    throw new AssetError(`${source} names no bos_token, so none can be added.`);
  }
  const bos = options.addsBos === undefined ? undefined : { token: token ?? '', added: options.addsBos };
  try {
    return await loadTokenizer({ file, source, bos, cacheSize: options.tokenCacheSize });
  } catch (error) {
    throw new AssetError(`${file} is not a tokenizer: ${messageOf(error)}`, { cause: error });
  }
}

async function templateOf(
  options: Pick<AssetOptions, 'chatTemplate' | 'historyTemplate' | 'tokenizer'>,
  found: TokenizerFolder | undefined,
): Promise<ChatTemplate | undefined> {
  const specialTokens = found?.specialTokens ?? {};
  try {
    if (options.chatTemplate !== undefined) {
      const { source, templates } = await configuredTemplate(options.chatTemplate);
      return jinjaTemplate({ source, templates, specialTokens });
    }
    if (found?.templateFile !== undefined) {
      const source = `${found.templateFile} of ${options.tokenizer}`;
      return jinjaTemplate({ source, templates: found.templates, specialTokens });
    }
    if (options.historyTemplate === undefined) return undefined;
    const { historyTemplate } = await import('./history-template.ts');
    return historyTemplate(options.historyTemplate);
  } catch (error) {
    throw error instanceof AssetError ? error : new AssetError(messageOf(error), { cause: error });
  }
}

/** Throws if a template of the settings has an error in its syntax. */
export async function checkChatTemplate(setting: string): Promise<void> {
  await templateOf({ chatTemplate: setting }, undefined);
}

async function configuredTemplate(setting: string): Promise<{ source: string; templates: Record<string, string> }> {
  if (!(await isFile(setting))) {
    if (/\{[{%]/.test(setting)) return { source: 'the chat template setting', templates: { default: setting } };
    throw new AssetError(`The chat template file ${setting} does not exist.`);
  }
  const text = await readFile(setting, 'utf8');
  if (!setting.endsWith('.json')) return { source: setting, templates: { default: text } };
  const template = (JSON.parse(text) as { chat_template?: unknown }).chat_template;
  if (typeof template !== 'string') throw new AssetError(`${setting} has no text under chat_template.`);
  return { source: setting, templates: { default: template } };
}

/** Whether there is a file, or a pipe, which a shell may give in place of one. */
async function isFile(path: string): Promise<boolean> {
  return (await exists(path)) && !(await isFolder(path));
}
