import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { protocol } from '../../src/kserve/control-codec.ts';
import { writeModelConfig } from '../../src/repository/pbtxt/model-config.ts';
import { readTextFormat } from '../../src/repository/pbtxt/read-text-format.ts';
import { planTrtllm } from '../../src/repository/plan-trtllm.ts';
import { type TrtllmName, trtllmValues } from '../../src/repository/trtllm-values.ts';
import { type TokenizerName, tokenizerFolder } from './environment.ts';
import { llmapiConfig, llmapiYaml } from './trtllm-llmapi.ts';
import { inOldRelease } from './trtllm-releases.ts';

export type TrtllmModel =
  | 'ensemble'
  | 'preprocessing'
  | 'tensorrt_llm'
  | 'postprocessing'
  | 'tensorrt_llm_bls'
  | 'tensorrt_llm_bls_accumulate'
  | 'llmapi';

/** An ensemble with what stands behind it. */
export const chainModels: readonly TrtllmModel[] = ['ensemble', 'preprocessing', 'tensorrt_llm', 'postprocessing'];

/** Every model in front of the engine, with what stands behind it. */
export const textModels: readonly TrtllmModel[] = [...chainModels, 'tensorrt_llm_bls', 'tensorrt_llm_bls_accumulate'];

const allModels: readonly TrtllmModel[] = [...textModels, 'llmapi'];

/** The Python module of test/support/toy_trtllm that is each model; an ensemble has none. */
const modules: Readonly<Record<TrtllmModel, string | undefined>> = {
  ensemble: undefined,
  preprocessing: 'preprocessing',
  tensorrt_llm: 'backend',
  postprocessing: 'postprocessing',
  tensorrt_llm_bls: 'bls',
  tensorrt_llm_bls_accumulate: 'bls',
  llmapi: 'llmapi',
};

/** What trtllm-build leaves in an engine's config.json, as far as it matters. */
export interface EngineLimits {
  readonly max_input_len: number;
  readonly max_seq_len: number;
  readonly max_batch_size: number;
  readonly max_beam_width: number;
  readonly gather_context_logits: boolean;
  readonly gather_generation_logits: boolean;
}

export interface TrtllmOptions {
  readonly tokenizer?: TokenizerName;
  readonly decoupled?: boolean;
  /** `0.16` has random_seed and min_length, and reports no token counts; `main` is another llmapi. */
  readonly release?: '0.16' | '1.2.1' | 'main';
  /** Left out: all. */
  readonly models?: readonly TrtllmModel[];
  /** Template variables other than those above, such as normalize_log_probs or guided_decoding_backend. */
  readonly values?: Readonly<Partial<Record<TrtllmName, string>>>;
  readonly engine?: Readonly<Partial<EngineLimits>>;
}

export interface TrtllmRepository {
  /** What tritonserver takes as its model repository. */
  readonly repository: string;
  /** What gpt_model_path points to: a folder with the config.json of an engine. */
  readonly engineFolder: string;
  readonly tokenizerFolder: string;
}

/** Writes a repository of TensorRT-LLM models whose engine is the toy one of test/support/toy_trtllm. */
export function writeTrtllmRepository(folder: string, options: TrtllmOptions = {}): TrtllmRepository {
  const tokenizer = tokenizerFolder(options.tokenizer ?? 'qwen3');
  const repository = join(folder, 'models');
  const engineFolder = join(folder, 'engine');
  write(join(engineFolder, 'config.json'), engineConfig(tokenizer, options.engine));
  const models = options.models ?? allModels;
  const configs = configsOf(options, { tokenizer, engineFolder });
  for (const model of models) {
    rmSync(join(repository, model), { recursive: true, force: true });
    write(join(repository, model, 'config.pbtxt'), configs[model]);
    mkdirSync(join(repository, model, '1'));
    const module = modules[model];
    if (module !== undefined) write(join(repository, model, '1', 'model.py'), entry(module));
  }
  if (models.includes('llmapi')) write(join(repository, 'llmapi', '1', 'model.yaml'), llmapiYaml(tokenizer, options));
  return { repository, engineFolder, tokenizerFolder: tokenizer };
}

function configsOf(
  { decoupled = true, release = '1.2.1', values = {} }: TrtllmOptions,
  { tokenizer, engineFolder }: { tokenizer: string; engineFolder: string },
): Record<TrtllmModel, string> {
  const plan = (accumulate: boolean) => {
    const value = {
      triton_backend: 'python',
      decoupled_mode: String(decoupled),
      accumulate_tokens: String(accumulate),
      preprocessing_instance_count: '1',
      bls_instance_count: '1',
      ...values,
    };
    const { files } = planTrtllm({
      name: 'ensemble',
      values: trtllmValues({ engine_dir: engineFolder, tokenizer_dir: tokenizer }, new Map(Object.entries(value))),
    });
    return (model: string) => {
      const file = files.find(({ path }) => path === join(model, 'config.pbtxt'));
      if (file === undefined || !('content' in file)) throw new Error(`${model} has no configuration`);
      return release === '0.16' ? inOldRelease(file.content) : file.content;
    };
  };
  const config = plan(false);
  const named = plan(true)('tensorrt_llm_bls').replace(
    'name: "tensorrt_llm_bls"',
    'name: "tensorrt_llm_bls_accumulate"',
  );
  return {
    ensemble: config('ensemble'),
    preprocessing: config('preprocessing'),
    tensorrt_llm: withParameter(config('tensorrt_llm'), 'toy_tokenizer', tokenizer),
    postprocessing: config('postprocessing'),
    tensorrt_llm_bls: config('tensorrt_llm_bls'),
    tensorrt_llm_bls_accumulate: named,
    llmapi: llmapiConfig({ decoupled, release, engineFolder, tokenizer }),
  };
}

function withParameter(text: string, name: string, value: string): string {
  const { message } = readTextFormat(text, {
    type: protocol().lookupType('inference.ModelConfig'),
    file: 'config.pbtxt',
  });
  const parameters = { ...(message['parameters'] as object), [name]: { string_value: value } };
  return writeModelConfig({ ...message, parameters });
}

function engineConfig(tokenizer: string, limits: Partial<EngineLimits> = {}): string {
  const vocabularySize = vocabularyOf(tokenizer);
  const pretrained = { architecture: 'ToyForCausalLM', dtype: 'float16', logits_dtype: 'float32', hidden_size: 64 };
  const build = {
    max_input_len: 4096,
    max_seq_len: 8192,
    opt_batch_size: 8,
    max_batch_size: 256,
    max_beam_width: 4,
    max_num_tokens: 8192,
    gather_context_logits: true,
    gather_generation_logits: true,
    ...limits,
    plugin_config: { paged_kv_cache: true, tokens_per_block: 32 },
  };
  return JSON.stringify(
    {
      version: '1.2.1',
      pretrained_config: { ...pretrained, vocab_size: vocabularySize, max_position_embeddings: build.max_seq_len },
      build_config: build,
    },
    null,
    2,
  );
}

/** The number of tokens, rounded up as engines have it. */
function vocabularyOf(tokenizer: string): number {
  const { model, added_tokens } = JSON.parse(readFileSync(join(tokenizer, 'tokenizer.json'), 'utf8')) as {
    model: { vocab: Record<string, number> | unknown[] };
    added_tokens: { id: number }[];
  };
  const ids = Array.isArray(model.vocab) ? model.vocab.length : Object.keys(model.vocab).length;
  const highest = Math.max(ids, ...added_tokens.map(({ id }) => id + 1));
  return Math.ceil(highest / 64) * 64;
}

function entry(module: string): string {
  return [
    'import os',
    'import sys',
    '',
    'sys.path.insert(0, os.environ["CONCH_TEST_SUPPORT"])',
    '',
    `from toy_trtllm.${module} import TritonPythonModel  # noqa: E402, F401`,
    '',
  ].join('\n');
}

function write(file: string, content: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}
