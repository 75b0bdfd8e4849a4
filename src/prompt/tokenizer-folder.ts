import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject } from '../json-object.ts';
import { codeOf, messageOf } from '../thrown.ts';
import { AssetError } from './asset-error.ts';

/** What the files beside a tokenizer.json say. */
export interface TokenizerFolder {
  /** `bos_token`, `eos_token`, … as templates name them. */
  readonly specialTokens: Record<string, string>;
  /** Chat templates by name; a single one is `default`. */
  readonly templates: Record<string, string>;
  /** The file that the templates came from. */
  readonly templateFile: string | undefined;
  readonly modelMaxLength: number | undefined;
  /** The EOS ids of generation_config.json, else of config.json. */
  readonly eosTokenIds: readonly number[];
}

type Json = Record<string, unknown>;

const tokenNames = ['bos_token', 'eos_token', 'unk_token', 'sep_token', 'pad_token', 'cls_token', 'mask_token'];
// transformers writes 10^30 where it knows no limit.
const largestLength = 1e8;

/** Reads a tokenizer's folder. Missing files are no error; damaged files are. */
export async function readTokenizerFolder(folder: string): Promise<TokenizerFolder> {
  const config = await readJson(join(folder, 'tokenizer_config.json'));
  const map = await readJson(join(folder, 'special_tokens_map.json'));
  const generation = await readJson(join(folder, 'generation_config.json'));
  const model = await readJson(join(folder, 'config.json'));
  const { templates, templateFile } = await readTemplates(folder, config);
  return {
    specialTokens: specialTokens(config, map),
    templates,
    templateFile,
    modelMaxLength: saneLength(config['model_max_length']),
    eosTokenIds: idsOf(generation['eos_token_id'] ?? model['eos_token_id']),
  };
}

function specialTokens(config: Json, map: Json): Record<string, string> {
  const found: Record<string, string> = {};
  // Model-specific tokens such as Gemma's image_token are named in the same way.
  const extra = isJsonObject(config['extra_special_tokens']) ? config['extra_special_tokens'] : {};
  const names = new Set([...tokenNames, ...Object.keys(extra)]);
  for (const name of names) {
    const text = tokenText(config[name]) ?? tokenText(map[name]) ?? tokenText(extra[name]);
    if (text !== undefined) found[name] = text;
  }
  return found;
}

function tokenText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return isJsonObject(value) && typeof value['content'] === 'string' ? value['content'] : undefined;
}

/** Files win over the setting inside tokenizer_config.json, as in transformers. */
async function readTemplates(
  folder: string,
  config: Json,
): Promise<{ templates: Record<string, string>; templateFile: string | undefined }> {
  const single = await readText(join(folder, 'chat_template.jinja'));
  const legacy = namedTemplates((await readJson(join(folder, 'chat_template.json')))['chat_template']);
  const inConfig = namedTemplates(config['chat_template']);
  const additional: Record<string, string> = {};
  for (const name of await readdir(join(folder, 'additional_chat_templates')).catch(() => [])) {
    const text = name.endsWith('.jinja') ? await readText(join(folder, 'additional_chat_templates', name)) : undefined;
    if (text !== undefined) additional[name.slice(0, -'.jinja'.length)] = text;
  }
  if (single !== undefined)
    return { templates: { default: single, ...additional }, templateFile: 'chat_template.jinja' };
  if (Object.keys(legacy).length > 0)
    return { templates: { ...legacy, ...additional }, templateFile: 'chat_template.json' };
  const templates = { ...inConfig, ...additional };
  return { templates, templateFile: Object.keys(templates).length > 0 ? 'tokenizer_config.json' : undefined };
}

function namedTemplates(value: unknown): Record<string, string> {
  if (typeof value === 'string') return { default: value };
  if (isJsonObject(value))
    return Object.fromEntries(Object.entries(value).filter(([, text]) => typeof text === 'string')) as Record<
      string,
      string
    >;
  const templates: Record<string, string> = {};
  for (const entry of Array.isArray(value) ? value : []) {
    if (isJsonObject(entry) && typeof entry['name'] === 'string' && typeof entry['template'] === 'string') {
      templates[entry['name']] = entry['template'];
    }
  }
  return templates;
}

function saneLength(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value < largestLength ? value : undefined;
}

function idsOf(value: unknown): number[] {
  const list = Array.isArray(value) ? value : [value];
  return list.filter((id): id is number => typeof id === 'number' && Number.isInteger(id));
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined;
    throw new AssetError(`${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

/** A JSON object; an empty one where the file is missing. */
export async function readJson(file: string): Promise<Json> {
  const text = await readText(file);
  if (text === undefined) return {};
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch (error) {
    throw new AssetError(`${file} is not JSON: ${messageOf(error)}`, { cause: error });
  }
  throw new AssetError(`${file} must hold a JSON object.`);
}
