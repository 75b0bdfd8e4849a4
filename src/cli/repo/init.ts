import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { Command } from '../../config/command.ts';
import { type CommandInput, ownFlags } from '../../config/load.ts';
import { didYouMean } from '../../config/nearest.ts';
import { resolvePath } from '../../config/paths.ts';
import { longFlag, setting } from '../../config/setting.ts';
import { SettingsError } from '../../config/settings-error.ts';
import { text } from '../../config/value-types.ts';
import { RepositoryError } from '../../repository/finding.ts';
import { describePlan, type FolderPlan, writePlan } from '../../repository/folder-plan.ts';
import { containerModels } from '../../repository/plan-trtllm.ts';
import type { Terminal } from '../../serve/terminal.ts';
import type { CliCommand } from '../command.ts';
import { type InitFlags, initPlanners, type ModelKind } from './init-plans.ts';

const count = z.number().int().min(1).optional();

const flags = {
  repository: setting(text.default('./models'), 'Folder of models to write into.', { placeholder: 'DIR' }),
  force: setting(z.boolean().default(false), 'Overwrite the files of a model that is already there.'),
  dryRun: setting(z.boolean().default(false), 'Print the files instead of writing them.'),
  model: setting(text.optional(), 'vllm: name on the Hugging Face hub, or a folder. llamacpp: GGUF file.', {
    placeholder: 'MODEL',
  }),
  set: setting(
    z.array(text).default([]),
    'vllm: any further engine argument. trtllm: any value of the templates, such as kv_cache_free_gpu_mem_fraction=0.5.',
    { placeholder: 'NAME=VALUE' },
  ),
  lora: setting(z.array(text).default([]), 'vllm, llamacpp: LoRA adapter.', { placeholder: 'NAME=PATH' }),
  tokenizer: setting(text.optional(), 'vllm: tokenizer, where it is not that of the model.', { placeholder: 'NAME' }),
  maxModelLen: setting(count, 'vllm: tokens of context.'),
  gpuMemoryUtilization: setting(z.number().gt(0).max(1).optional(), 'vllm: share of the GPU memory.'),
  tensorParallelSize: setting(count, 'vllm: GPUs that share the model.'),
  dtype: setting(text.optional(), 'vllm: type of the weights, such as bfloat16.', { placeholder: 'TYPE' }),
  quantization: setting(text.optional(), 'vllm: how the weights are quantized, such as awq.', { placeholder: 'NAME' }),
  healthCheck: setting(
    z.boolean().optional(),
    'vllm: let Triton report a model whose engine has failed as not ready.',
    { defaultText: 'true' },
  ),
  engineDir: setting(text.optional(), 'trtllm: folder of the engine, as tritonserver sees it.', { placeholder: 'DIR' }),
  tokenizerDir: setting(text.optional(), 'trtllm: folder of the tokenizer, as tritonserver sees it.', {
    placeholder: 'DIR',
  }),
  maxBatchSize: setting(count, 'trtllm: largest batch.', { defaultText: '8' }),
  decoupled: setting(z.boolean().optional(), 'trtllm: answers can be streamed.', { defaultText: 'true' }),
  tritonBackend: setting(z.enum(['tensorrtllm', 'python']).optional(), 'trtllm: backend of the engine.', {
    defaultText: 'tensorrtllm',
  }),
  pythonFrom: setting(text.optional(), "trtllm: folder with NVIDIA's models, whose Python files are copied.", {
    placeholder: 'DIR',
    defaultText: `${containerModels}, where it exists`,
  }),
  copy: setting(z.boolean().optional(), 'llamacpp: copy the GGUF file into the model, rather than link to it.'),
  modelPath: setting(text.optional(), 'llamacpp: leave the GGUF file where it is, and write its path.', {
    placeholder: 'FILE',
  }),
  contextLength: setting(count, 'llamacpp: tokens of context.'),
  sequences: setting(count, 'llamacpp: requests that are answered at the same time.'),
};

const definition: Command<typeof flags> = {
  name: 'repo init',
  summary: 'Write the folder of a new model: for vLLM, for TensorRT-LLM, or for the embedded engine',
  groups: [],
  flags,
  arguments: 'vllm|trtllm|llamacpp NAME',
  examples: [
    'conch repo init vllm qwen3 --model Qwen/Qwen3-8B --max-model-len 32768 --lora sql=/adapters/sql',
    'conch repo init trtllm llama3 --engine-dir /engines/llama3 --tokenizer-dir /tokenizers/llama3 --max-batch-size 64',
    'conch repo init llamacpp smollm2 --model smollm2-135m-instruct.gguf --context-length 4096',
  ],
};

/** `conch repo init`: writes a ready model folder, or says what is missing for it to be ready. */
export const repoInitCommand: CliCommand = { definition, run };

async function run(input: CommandInput, terminal: Terminal): Promise<number> {
  const values = ownFlags(input, definition);
  const { kind, name } = readArguments(input.positionals);
  refuseForeignFlags(kind, values);
  const repository = resolvePath(values.repository, { homeDirectory: homedir() });
  try {
    const { plan, notes } = await initPlanners[kind]({ name, repository, flags: values });
    if (values.dryRun) terminal.out(describePlan(plan, repository));
    else {
      await writePlan(plan, { repository, force: values.force });
      terminal.out(report(plan, repository));
    }
    for (const note of notes) terminal.err(note);
    return 0;
  } catch (error) {
    if (error instanceof RepositoryError) throw new SettingsError(error.problems);
    throw error;
  }
}

function report({ files }: FolderPlan, repository: string): string {
  const written = files
    .filter(({ path }) => !path.endsWith('.gitkeep'))
    .map(({ path }) => `  ${join(repository, path)}`);
  return `Written:\n${written.join('\n')}\nServe it with: conch --model-repository ${repository}`;
}

function readArguments([kind, name, ...more]: readonly string[]): { kind: ModelKind; name: string } {
  const kinds = Object.keys(initPlanners);
  if (kind === undefined || name === undefined) {
    throw new SettingsError([`conch repo init needs the kind and the name of the model: ${kinds.join('|')} NAME.`]);
  }
  if (!isKind(kind)) {
    throw new SettingsError([
      `${JSON.stringify(kind)} is not a kind of model: ${kinds.join(', ')}.${didYouMean(kind, kinds)}`,
    ]);
  }
  if (more.length > 0) throw new SettingsError([`conch repo init takes one name: ${more.join(' ')} is too much.`]);
  return { kind, name };
}

function isKind(word: string): word is ModelKind {
  return Object.hasOwn(initPlanners, word);
}

/** The kinds that a flag is for; a flag that is not here is for all. */
const flagKinds: Readonly<Partial<Record<keyof InitFlags, readonly ModelKind[]>>> = {
  model: ['vllm', 'llamacpp'],
  set: ['vllm', 'trtllm'],
  lora: ['vllm', 'llamacpp'],
  tokenizer: ['vllm'],
  maxModelLen: ['vllm'],
  gpuMemoryUtilization: ['vllm'],
  tensorParallelSize: ['vllm'],
  dtype: ['vllm'],
  quantization: ['vllm'],
  healthCheck: ['vllm'],
  engineDir: ['trtllm'],
  tokenizerDir: ['trtllm'],
  maxBatchSize: ['trtllm'],
  decoupled: ['trtllm'],
  tritonBackend: ['trtllm'],
  pythonFrom: ['trtllm'],
  copy: ['llamacpp'],
  modelPath: ['llamacpp'],
  contextLength: ['llamacpp'],
  sequences: ['llamacpp'],
};

function refuseForeignFlags(kind: ModelKind, values: InitFlags): void {
  const problems = Object.entries(flagKinds).flatMap(([name, kinds]) => {
    const value: unknown = Reflect.get(values, name);
    const isGiven = Array.isArray(value) ? value.length > 0 : value !== undefined;
    return isGiven && !kinds.includes(kind)
      ? [`${longFlag(name)} is for ${kinds.join(' and ')}, not for ${kind}.`]
      : [];
  });
  if (problems.length > 0) throw new SettingsError(problems);
}
