import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject } from '../json-object.ts';
import { codeOf, messageOf } from '../thrown.ts';
import { AssetError } from './asset-error.ts';
import { readJson } from './tokenizer-folder.ts';

/** What the files of sentence-transformers say of a model; what they do not say is left out. */
export interface SentenceFolder {
  /** `other` is one that Conch does not support, such as the maximum. */
  readonly pooling?: 'mean' | 'cls' | 'last' | 'other';
  /** Whether its vectors have length one. */
  readonly normalize?: boolean;
  /** The prefix of every text. */
  readonly prompt?: string;
  /** The maximum number of tokens of a text. */
  readonly longest?: number;
  /** Steps behind the pooling that are not done here, such as Dense. */
  readonly furtherSteps: readonly string[];
}

const poolings = {
  pooling_mode_mean_tokens: 'mean',
  pooling_mode_cls_token: 'cls',
  pooling_mode_lasttoken: 'last',
  pooling_mode_max_tokens: 'other',
  pooling_mode_mean_sqrt_len_tokens: 'other',
  pooling_mode_weightedmean_tokens: 'other',
} as const;

/** Reads modules.json and the files that belong to it. Missing files are no error. */
export async function readSentenceFolder(folder: string): Promise<SentenceFolder> {
  const modules = await readModules(folder);
  const pooling = poolingOf(await readJson(join(folder, '1_Pooling', 'config.json')));
  const { prompts, default_prompt_name: chosen } = await readJson(join(folder, 'config_sentence_transformers.json'));
  const prompt = isJsonObject(prompts) && typeof chosen === 'string' ? prompts[chosen] : undefined;
  const { max_seq_length: longest } = await readJson(join(folder, 'sentence_bert_config.json'));
  return {
    ...(pooling === undefined ? {} : { pooling }),
    ...(modules.length === 0 ? {} : { normalize: modules.includes('Normalize') }),
    ...(typeof prompt === 'string' && prompt !== '' ? { prompt } : {}),
    ...(typeof longest === 'number' && Number.isInteger(longest) && longest > 0 ? { longest } : {}),
    furtherSteps: modules.filter((name) => !['Transformer', 'Pooling', 'Normalize'].includes(name)),
  };
}

function poolingOf(config: Record<string, unknown>): SentenceFolder['pooling'] {
  const chosen = Object.entries(poolings).filter(([key]) => config[key] === true);
  // Several are put one behind the other.
  return chosen.length > 1 ? 'other' : chosen[0]?.[1];
}

/** The names of the steps, such as Transformer, Pooling and Normalize. */
async function readModules(folder: string): Promise<string[]> {
  const file = join(folder, 'modules.json');
  let modules: unknown;
  try {
    modules = JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return [];
    throw new AssetError(`${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
  if (!Array.isArray(modules)) throw new AssetError(`${file} must hold a list.`);
  return modules.flatMap((module: unknown) =>
    isJsonObject(module) && typeof module['type'] === 'string' ? [module['type'].split('.').at(-1) as string] : [],
  );
}
