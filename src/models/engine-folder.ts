import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Limits } from '../contracts/contract.ts';
import { isJsonObject } from '../json-object.ts';

/** The facts from the folder of a TensorRT-LLM engine. */
export interface EngineFolder {
  readonly limits: Limits;
  /** How many tokens one block of its key-value cache holds. */
  readonly blockSize?: number;
  /** Whether it was built to return the logits of generated tokens. */
  readonly gathersLogits: boolean;
}

type Json = Readonly<Record<string, unknown>>;

/** Reads the config.json that trtllm-build writes next to an engine; undefined if it cannot be read. */
export async function readEngineFolder(folder: string): Promise<EngineFolder | undefined> {
  let config: Json;
  try {
    config = objectOf(JSON.parse(await readFile(join(folder, 'config.json'), 'utf8')));
  } catch {
    return undefined;
  }
  const build = objectOf(config['build_config']);
  const pretrained = objectOf(config['pretrained_config']);
  const context = countOf(build['max_seq_len']) ?? countOf(pretrained['max_position_embeddings']);
  const prompt = countOf(build['max_input_len']);
  const beamWidth = countOf(build['max_beam_width']);
  const vocabulary = countOf(pretrained['vocab_size']);
  const blockSize = countOf(objectOf(build['plugin_config'])['tokens_per_block']);
  return {
    limits: {
      ...(context === undefined ? {} : { context }),
      ...(prompt === undefined ? {} : { prompt }),
      ...(beamWidth === undefined ? {} : { beamWidth }),
      ...(vocabulary === undefined ? {} : { vocabulary }),
    },
    ...(blockSize === undefined ? {} : { blockSize }),
    gathersLogits: build['gather_generation_logits'] === true || build['gather_all_token_logits'] === true,
  };
}

function objectOf(value: unknown): Json {
  return isJsonObject(value) ? value : {};
}

function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}
