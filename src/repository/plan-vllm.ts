import { join } from 'node:path';
import { healthCheck, structuredOutputs } from '../vllm-arguments.ts';
import { checkModelName, type FolderPlan, type PlannedFile } from './folder-plan.ts';
import { writeModelConfig } from './pbtxt/model-config.ts';

/** The parameter of config.pbtxt with the folder of adapters that requests may name. */
export const adapterRootParameter = 'LORA_ROOT';

/** How many adapters an engine holds at the same time if requests bring them; vLLM's default is 1. */
const heldAdapters = 4;

export interface VllmOptions {
  readonly name: string;
  /** The arguments of vLLM's engine, in vLLM's own names. `model` is required; null leaves an argument out. */
  readonly engine: Readonly<Record<string, unknown>> & { readonly model: string };
  /** LoRA adapters: their names in requests, and their folders. */
  readonly adapters: ReadonlyMap<string, string>;
  /** Whether Triton checks the engine, too, when it reports whether the model is ready. */
  readonly checksHealth: boolean;
  /** Left out: a model for Triton's vLLM backend. */
  readonly ownModel?: OwnModel | undefined;
}

/** What Conch's own model needs beyond a model for Triton's vLLM backend. */
export interface OwnModel {
  /** The files of Conch's model: where each is in the version's folder, and where it is copied from. */
  readonly code: ReadonlyMap<string, string>;
  /** The folder of adapters that requests may name, as tritonserver sees it. */
  readonly adapterRoot?: string | undefined;
}

/** The folder of a model for Triton's vLLM backend, or of Conch's own vLLM model. */
export function planVllm({ name, engine, adapters, checksHealth, ownModel }: VllmOptions): FolderPlan {
  checkModelName(name);
  const parameters = {
    ...(checksHealth ? { [healthCheck.name]: { string_value: healthCheck.value } } : {}),
    ...(ownModel?.adapterRoot === undefined ? {} : { [adapterRootParameter]: { string_value: ownModel.adapterRoot } }),
  };
  // With KIND_MODEL, vLLM chooses the GPUs, which tensor parallelism needs.
  const config = writeModelConfig({
    backend: ownModel ? 'python' : 'vllm',
    instance_group: [{ kind: 'KIND_MODEL', count: 1 }],
    ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
  });
  const mostAdapters = Math.max(adapters.size, ownModel?.adapterRoot === undefined ? 0 : heldAdapters);
  const lora = mostAdapters === 0 ? {} : { enable_lora: true, max_loras: mostAdapters };
  const files: PlannedFile[] = [
    { path: join(name, 'config.pbtxt'), content: config },
    {
      path: join(name, '1', 'model.json'),
      content: json({ ...lora, ...guideLibrary(engine), ...engine }, engine.model),
    },
  ];
  if (adapters.size > 0) {
    files.push({
      path: join(name, '1', 'multi_lora.json'),
      content: `${JSON.stringify(Object.fromEntries(adapters), null, 2)}\n`,
    });
  }
  for (const [path, copyOf] of ownModel?.code ?? []) files.push({ path: join(name, '1', path), copyOf });
  return { models: [name], files };
}

/** Releases that know the older name of the argument fail to start with the newer one. */
function guideLibrary(engine: VllmOptions['engine']): Readonly<Record<string, unknown>> {
  const { name, olderName, value } = structuredOutputs;
  return olderName in engine ? {} : { [name]: value };
}

/** The model comes first, because readers look for it. */
function json(engine: Readonly<Record<string, unknown>>, model: string): string {
  const entries = Object.entries(engine).filter(([, value]) => value !== null);
  return `${JSON.stringify({ model, ...Object.fromEntries(entries) }, null, 2)}\n`;
}
