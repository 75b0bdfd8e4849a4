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
  repository: setting(text.default('./models'), 'Create the model in this model repository.', { placeholder: 'DIR' }),
  force: setting(z.boolean().default(false), 'Overwrite the files of an existing model.'),
  dryRun: setting(z.boolean().default(false), 'Print the files instead of writing them.'),
  model: setting(
    text.optional(),
    'Set the model. vllm: a name on the Hugging Face hub, or a folder. llamacpp: a GGUF file.',
    {
      placeholder: 'MODEL',
    },
  ),
  set: setting(
    z.array(text).default([]),
    'Set another value. vllm: any engine argument. trtllm: any value of the templates, for example kv_cache_free_gpu_mem_fraction=0.5.',
    { placeholder: 'NAME=VALUE' },
  ),
  lora: setting(z.array(text).default([]), 'Add a LoRA adapter (vllm, llamacpp).', { placeholder: 'NAME=PATH' }),
  tokenizer: setting(text.optional(), "Use another tokenizer than the model's own (vllm).", { placeholder: 'NAME' }),
  maxModelLen: setting(count, 'Set the context length in tokens (vllm).'),
  gpuMemoryUtilization: setting(z.number().gt(0).max(1).optional(), 'Set the share of the GPU memory to use (vllm).'),
  tensorParallelSize: setting(count, 'Split the model over this many GPUs (vllm).'),
  dtype: setting(text.optional(), 'Set the data type of the weights, for example bfloat16 (vllm).', {
    placeholder: 'TYPE',
  }),
  quantization: setting(text.optional(), 'Set the quantization of the weights, for example awq (vllm).', {
    placeholder: 'NAME',
  }),
  healthCheck: setting(
    z.boolean().optional(),
    'Let Triton report a model whose engine has failed as not ready (vllm).',
    { defaultText: 'true' },
  ),
  conch: setting(
    z.boolean().optional(),
    "Use Conch's own vLLM model instead of Triton's vLLM backend: token ids, all sampling parameters, less CPU time per token (vllm).",
  ),
  loraRoot: setting(
    text.optional(),
    'Let requests name LoRA adapters in this folder, as tritonserver sees it (vllm with --conch).',
    { placeholder: 'DIR' },
  ),
  engineDir: setting(text.optional(), 'Set the folder of the engine, as tritonserver sees it (trtllm).', {
    placeholder: 'DIR',
  }),
  tokenizerDir: setting(text.optional(), 'Set the folder of the tokenizer, as tritonserver sees it (trtllm).', {
    placeholder: 'DIR',
  }),
  maxBatchSize: setting(count, 'Limit the batch size (trtllm).', { defaultText: '8' }),
  decoupled: setting(z.boolean().optional(), 'Allow streamed responses (trtllm).', { defaultText: 'true' }),
  tritonBackend: setting(z.enum(['tensorrtllm', 'python']).optional(), 'Set the backend of the engine (trtllm).', {
    defaultText: 'tensorrtllm',
  }),
  pythonFrom: setting(text.optional(), "Copy the Python files of NVIDIA's models from this folder (trtllm).", {
    placeholder: 'DIR',
    defaultText: `${containerModels}, where it exists`,
  }),
  copy: setting(z.boolean().optional(), 'Copy the GGUF file into the model instead of linking to it (llamacpp).'),
  modelPath: setting(text.optional(), 'Leave the GGUF file where it is, and write its path (llamacpp).', {
    placeholder: 'FILE',
  }),
  contextLength: setting(count, 'Set the context length in tokens (llamacpp).'),
  sequences: setting(count, 'Set how many requests are processed at the same time (llamacpp).'),
};

const definition: Command<typeof flags> = {
  name: 'repo init',
  summary: 'Create a model folder: vLLM, TensorRT-LLM or embedded engine',
  groups: [],
  flags,
  arguments: 'vllm|trtllm|llamacpp NAME',
  examples: [
    'conch repo init vllm qwen3 --model Qwen/Qwen3-8B --max-model-len 32768',
    'conch repo init vllm qwen3 --conch --model Qwen/Qwen3-8B --lora-root /adapters',
    'conch repo init trtllm llama3 --engine-dir /engine --tokenizer-dir /tokenizer',
    'conch repo init llamacpp smollm2 --model smollm2.gguf --context-length 4096',
  ],
};

/** `conch repo init`: writes a model folder, and prints what is still missing. */
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
    throw new SettingsError([
      `conch repo init needs the kind and name of the model. Write conch repo init ${kinds.join('|')} NAME.`,
    ]);
  }
  if (!isKind(kind)) {
    throw new SettingsError([
      `${JSON.stringify(kind)} is not a kind of model. Use one of ${kinds.join(', ')}.${didYouMean(kind, kinds)}`,
    ]);
  }
  if (more.length > 0) throw new SettingsError([`conch repo init takes one name. Remove ${more.join(' ')}.`]);
  return { kind, name };
}

function isKind(word: string): word is ModelKind {
  return Object.hasOwn(initPlanners, word);
}

/** The kinds that a flag applies to; other flags apply to all. */
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
  conch: ['vllm'],
  loraRoot: ['vllm'],
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
    const isSet = Array.isArray(value) ? value.length > 0 : value !== undefined;
    return isSet && !kinds.includes(kind)
      ? [`${longFlag(name)} is for ${kinds.join(' and ')}, not for ${kind}. Remove it.`]
      : [];
  });
  if (problems.length > 0) throw new SettingsError(problems);
}
