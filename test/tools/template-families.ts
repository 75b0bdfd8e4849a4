import { loadPromptAssets } from '../../src/prompt/assets.ts';
import type { ChatTemplate } from '../../src/prompt/chat-template.ts';
import { type TokenizerName, tokenizerFolder } from '../support/environment.ts';
import { type PackagedTemplate, packagedTemplate } from '../support/tool-templates.ts';

const hub = { endpoint: 'http://127.0.0.1:1', cacheFolder: '/nowhere', offline: true };

/** The chat template of a tokenizer, and what ends an answer. */
export async function templateOf(name: TokenizerName): Promise<{ template: ChatTemplate; endOfTurn: string }> {
  const assets = await loadPromptAssets({ tokenizer: tokenizerFolder(name), hub });
  if (!assets.template) throw new Error(`${name} has no chat template`);
  return { template: assets.template, endOfTurn: assets.eosToken ?? '' };
}

/** A family by its template: from a tokenizer of the cache, or from a package. */
export interface Family {
  readonly name: string;
  readonly from: TokenizerName | PackagedTemplate;
  readonly format: string;
  /** How many calls its template writes in one turn. */
  readonly most: 1 | 2;
  /** What else the turn holds: special tokens that Conch takes out of the text. */
  readonly specials?: readonly string[];
}

export async function loadTemplate({ from }: Family): Promise<{ template: ChatTemplate; endOfTurn: string }> {
  if (typeof from === 'string') return templateOf(from);
  return { template: await packagedTemplate(from), endOfTurn: from.endOfTurn };
}

const ollama = (template: string, endOfTurn: string): PackagedTemplate => ({
  package: 'ollama-utils',
  template,
  endOfTurn,
});
const trl = (template: string, endOfTurn: string): PackagedTemplate => ({ package: 'trl', template, endOfTurn });

/** Every family whose template a package carries, as far as the template writes calls. */
export const families: readonly Family[] = [
  { name: 'Llama 3.2', from: 'llama3_2', format: 'llama3_json', most: 1 },
  { name: 'Qwen 3', from: 'qwen3', format: 'hermes', most: 2 },
  { name: 'Mistral Nemo', from: 'mistral_nemo', format: 'mistral', most: 2 },
  { name: 'DeepSeek V3', from: 'deepseek_v3', format: 'deepseek_v3', most: 2 },
  { name: 'Llama 3.1', from: ollama('llama3.1:8b', '<|eot_id|>'), format: 'llama3_json', most: 1 },
  {
    name: 'Llama 4',
    from: ollama('llama4:latest', '<|eot|>'),
    format: 'llama3_json',
    most: 2,
    specials: ['<|python_start|>', '<|python_end|>'],
  },
  { name: 'Qwen 2.5', from: ollama('qwen2.5:0.5b', '<|im_end|>'), format: 'hermes', most: 2 },
  { name: 'QwQ', from: ollama('qwq:32b', '<|im_end|>'), format: 'hermes', most: 2 },
  { name: 'Qwen 3 Coder', from: ollama('qwen3-coder:30b', '<|im_end|>'), format: 'qwen3_coder', most: 2 },
  { name: 'Qwen 3.5', from: trl('qwen3_5_think', '<|im_end|>'), format: 'qwen3_coder', most: 2 },
  {
    name: 'DeepSeek V3.1',
    from: ollama('deepseek-v3.1:latest', '<｜end▁of▁sentence｜>'),
    format: 'deepseek_v31',
    most: 2,
  },
  { name: 'DeepSeek R1', from: trl('deepseekv3', '<｜end▁of▁sentence｜>'), format: 'deepseek_v3', most: 2 },
  { name: 'Granite 4', from: ollama('granite4:latest', '<|end_of_text|>'), format: 'granite', most: 2 },
  { name: 'GLM 4.5', from: trl('glm4moe', '<|user|>'), format: 'glm45', most: 2 },
  { name: 'gpt-oss', from: trl('gptoss', '<|return|>'), format: 'gpt-oss', most: 1 },
];
