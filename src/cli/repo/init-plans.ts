import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { resolvePath } from '../../config/paths.ts';
import { isFile, isFolder } from '../../file-kind.ts';
import { packageFile } from '../../package-file.ts';
import { RepositoryError } from '../../repository/finding.ts';
import type { FolderPlan } from '../../repository/folder-plan.ts';
import { ggufProblem } from '../../repository/llamacpp-model.ts';
import { readConfigFile } from '../../repository/model-folder.ts';
import { planLlamacpp } from '../../repository/plan-llamacpp.ts';
import { containerModels, planTrtllm } from '../../repository/plan-trtllm.ts';
import { adapterRootParameter, planVllm } from '../../repository/plan-vllm.ts';
import { trtllmValues } from '../../repository/trtllm-values.ts';
import {
  argumentsFile,
  checksHealth,
  healthCheck,
  readVllmArguments,
  structuredOutputs,
} from '../../vllm-arguments.ts';

export type ModelKind = 'vllm' | 'trtllm' | 'llamacpp';

/** The flags of `conch repo init`; those that are not set are undefined or empty. */
export interface InitFlags {
  readonly model: string | undefined;
  readonly set: readonly string[];
  readonly lora: readonly string[];
  readonly tokenizer: string | undefined;
  readonly maxModelLen: number | undefined;
  readonly gpuMemoryUtilization: number | undefined;
  readonly tensorParallelSize: number | undefined;
  readonly dtype: string | undefined;
  readonly quantization: string | undefined;
  readonly healthCheck: boolean | undefined;
  readonly conch: boolean | undefined;
  readonly loraRoot: string | undefined;
  readonly engineDir: string | undefined;
  readonly tokenizerDir: string | undefined;
  readonly maxBatchSize: number | undefined;
  readonly decoupled: boolean | undefined;
  readonly tritonBackend: string | undefined;
  readonly pythonFrom: string | undefined;
  readonly copy: boolean | undefined;
  readonly modelPath: string | undefined;
  readonly contextLength: number | undefined;
  readonly sequences: number | undefined;
}

interface InitRequest {
  readonly name: string;
  readonly repository: string;
  readonly flags: InitFlags;
}

interface InitPlan {
  readonly plan: FolderPlan;
  /** What the user must know beyond the files. */
  readonly notes: readonly string[];
}

/** Plans the folder of each kind of model. Throws a RepositoryError. */
export const initPlanners: Readonly<Record<ModelKind, (request: InitRequest) => Promise<InitPlan> | InitPlan>> = {
  vllm,
  trtllm,
  llamacpp,
};

async function vllm({ name, repository, flags }: InitRequest): Promise<InitPlan> {
  if (flags.model === undefined)
    throw new RepositoryError(['conch repo init vllm needs --model: a name on the Hugging Face hub, or a folder.']);
  const named = {
    tokenizer: flags.tokenizer,
    max_model_len: flags.maxModelLen,
    gpu_memory_utilization: flags.gpuMemoryUtilization,
    tensor_parallel_size: flags.tensorParallelSize,
    dtype: flags.dtype,
    quantization: flags.quantization,
  };
  const further = [...pairs('--set', flags.set)].map(([key, value]) => [key, fromJson(value)] as const);
  const before = await writtenSafeguards(join(repository, name));
  const engine = { ...before.engine, ...named, ...Object.fromEntries(further), model: flags.model };
  const withHealthCheck = flags.healthCheck ?? before.checksHealth ?? true;
  const adapters = pairs('--lora', flags.lora);
  const isOwn = flags.conch ?? before.isOwn;
  if (flags.loraRoot !== undefined && !isOwn)
    throw new RepositoryError([
      "--lora-root needs --conch: the model of Triton's vLLM backend loads no adapters by path.",
    ]);
  const adapterRoot = flags.loraRoot ?? before.adapterRoot;
  const ownModel = isOwn ? { code: await ownCode(), adapterRoot } : undefined;
  return { plan: planVllm({ name, engine, adapters, checksHealth: withHealthCheck, ownModel }), notes: [] };
}

/** The code of Conch's own vLLM model: where each file is in a version's folder, and where the package has it. */
async function ownCode(): Promise<ReadonlyMap<string, string>> {
  const folder = packageFile('python');
  if (folder === undefined)
    throw new RepositoryError(['This installation of Conch has no folder "python". Install Conch again.']);
  const paths = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith('.py'));
  return new Map(paths.toSorted().map((path) => [path, join(folder, path)]));
}

/** The kind of an existing model, and its safeguards: the operator may have changed them. */
async function writtenSafeguards(folder: string) {
  const [read, config] = await Promise.all([
    readVllmArguments(join(folder, '1', argumentsFile)),
    readConfigFile(join(folder, 'config.pbtxt')).catch(() => undefined),
  ]);
  const { name, olderName } = structuredOutputs;
  const written =
    'engine' in read ? Object.entries(read.engine).filter(([key]) => key === name || key === olderName) : [];
  const parameters = config?.config.parameters ?? {};
  return {
    engine: Object.fromEntries(written),
    checksHealth: healthCheck.name in parameters ? checksHealth(parameters) : undefined,
    isOwn: config?.config.backend === 'python' && (await isFolder(join(folder, '1', 'conch_vllm'))),
    adapterRoot: parameters[adapterRootParameter]?.string_value,
  };
}

async function trtllm({ name, repository, flags }: InitRequest): Promise<InitPlan> {
  const { engineDir, tokenizerDir } = flags;
  if (engineDir === undefined || tokenizerDir === undefined) {
    throw new RepositoryError([
      'conch repo init trtllm needs --engine-dir and --tokenizer-dir, as tritonserver will see them.',
    ]);
  }
  const overrides = new Map([
    ...(flags.maxBatchSize === undefined ? [] : [['triton_max_batch_size', String(flags.maxBatchSize)] as const]),
    ...(flags.decoupled === undefined ? [] : [['decoupled_mode', String(flags.decoupled)] as const]),
    ...(flags.tritonBackend === undefined ? [] : [['triton_backend', flags.tritonBackend] as const]),
    ...pairs('--set', flags.set),
  ]);
  const values = trtllmValues({ engine_dir: engineDir, tokenizer_dir: tokenizerDir }, overrides);
  const pythonFrom = flags.pythonFrom ?? ((await isFolder(containerModels)) ? containerModels : undefined);
  const plan = planTrtllm({ name, values, pythonFrom });
  for (const file of plan.files) {
    if ('copyOf' in file && !(await isFile(file.copyOf))) {
      throw new RepositoryError([`${file.copyOf} is missing. Set --python-from to a folder like ${containerModels}.`]);
    }
  }
  return { plan, notes: plan.foreign.length === 0 ? [] : [missingPython(plan.foreign, repository)] };
}

function missingPython(files: readonly string[], repository: string): string {
  return [
    "These models do not start yet: their code is part of TensorRT-LLM's container, and Conch has no copy of it. Missing:",
    ...files.map((file) => `  ${join(repository, file)}`),
    'Inside the container, this copies them:',
    `  cd ${containerModels} && cp --parents ${files.join(' ')} ${resolve(repository)}`,
    'Elsewhere, run this command again with --force and --python-from DIR, a copy of that folder.',
  ].join('\n');
}

async function llamacpp({ name, flags }: InitRequest): Promise<InitPlan> {
  const { model, modelPath, copy, contextLength, sequences } = flags;
  if ((model === undefined) === (modelPath === undefined)) {
    throw new RepositoryError([
      'conch repo init llamacpp needs a GGUF file: --model FILE, or --model-path FILE to leave it where it is.',
    ]);
  }
  if (copy === true && model === undefined)
    throw new RepositoryError(['--copy and --model-path exclude each other. Set only one.']);
  const file = absolute(modelPath ?? model ?? '');
  const problem = await ggufProblem(file);
  // A path may be of another machine; a file to copy or link must exist here.
  if (problem !== undefined && modelPath === undefined) throw new RepositoryError([`--model: ${problem}`]);
  const adapters = new Map([...pairs('--lora', flags.lora)].map(([adapter, path]) => [adapter, absolute(path)]));
  for (const [adapter, path] of adapters) {
    if (/[,=]/.test(path) || adapter.includes(',')) {
      throw new RepositoryError([`--lora ${adapter}: the name and path must not contain a comma or an equals sign.`]);
    }
  }
  const weights = { file, as: modelPath !== undefined ? 'path' : copy === true ? 'copy' : 'link' } as const;
  const plan = planLlamacpp({ name, weights, contextLength, sequences, adapters });
  return {
    plan,
    notes: problem === undefined ? [] : [`--model-path: ${problem} Conch cannot serve the model until then.`],
  };
}

function absolute(path: string): string {
  return resolve(resolvePath(path, { homeDirectory: homedir() }));
}

function pairs(flag: string, items: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const item of items) {
    const equals = item.indexOf('=');
    if (equals < 1 || equals === item.length - 1)
      throw new RepositoryError([`${flag} must be NAME=VALUE, not ${JSON.stringify(item)}.`]);
    found.set(item.slice(0, equals), item.slice(equals + 1));
  }
  return found;
}

/** JSON values, for example numbers and objects; all else is text. */
function fromJson(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
