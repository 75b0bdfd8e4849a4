import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { VllmFacts } from '../contracts/vllm-facts.ts';
import { isJsonObject, type JsonObject, parseJsonObject } from '../json-object.ts';
import { readBounded } from '../read-bounded.ts';

/** config.json never contains weights. */
const mostBytes = 16 * 2 ** 20;

/** The facts from the folder of a model's weights, as vLLM reads them if its arguments do not set them. */
export async function checkpointFacts(folder: string): Promise<VllmFacts> {
  const config = await readObject(join(folder, 'config.json'));
  if (!config) return {};
  const names = new Set(await readdir(folder).catch(() => []));
  const context = contextOf(config);
  const written = Number((await readObject(join(folder, 'tokenizer_config.json')))?.['model_max_length']);
  const isBound = Number.isSafeInteger(written) && written > 0;
  return {
    // vLLM takes the smaller of the two.
    ...(context === undefined ? {} : { context: isBound ? Math.min(context, written) : context }),
    ...kindOf(config, names),
    ...(isTextOnly(config, names) ? { mostImages: 0 } : {}),
  };
}

async function readObject(file: string): Promise<JsonObject | undefined> {
  const read = await readBounded(file, mostBytes);
  return 'text' in read ? parseJsonObject(read.text) : undefined;
}

/** Kinds of rope scaling that do not change max_position_embeddings; for the others vLLM multiplies it. */
const plainScaling: ReadonlySet<unknown> = new Set(['default', 'llama3', 'longrope', 'su', 'mrope']);

/** Undefined if vLLM computes it from more than max_position_embeddings. */
function contextOf(config: JsonObject): number | undefined {
  const scaling = config['rope_scaling'] ?? config['rope_parameters'];
  if (isJsonObject(scaling) && scaling['factor'] !== undefined) {
    if (!plainScaling.has(scaling['rope_type'] ?? scaling['type'])) return undefined;
  }
  const length = config['max_position_embeddings'];
  return typeof length === 'number' && Number.isSafeInteger(length) && length > 0 ? length : undefined;
}

/** vLLM generates text with these architectures, unless the folder has files of sentence-transformers. */
function kindOf(config: JsonObject, names: ReadonlySet<string>): VllmFacts {
  if (names.has('modules.json')) return { generatesText: false, makesEmbeddings: true };
  const generates = architectures(config).some((name) => /For(?:CausalLM|ConditionalGeneration)$/.test(name));
  return generates ? { generatesText: true, makesEmbeddings: false } : {};
}

/** Whether nothing indicates images: neither a part of the network, nor a file that prepares them. */
function isTextOnly(config: JsonObject, names: ReadonlySet<string>): boolean {
  const isCausal = architectures(config).some((name) => name.endsWith('ForCausalLM'));
  const preparesInputs = names.has('preprocessor_config.json') || names.has('processor_config.json');
  const keys = Object.keys(config);
  return (
    isCausal && !preparesInputs && !keys.some((key) => /vis|image|img|pixel|multi_?modal|^mm_|embd_layer/i.test(key))
  );
}

function architectures(config: JsonObject): string[] {
  const names = config['architectures'];
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
}
