import { join } from 'node:path';
import { healthCheck, structuredOutputs } from '../vllm-arguments.ts';
import { checkModelName, type FolderPlan, type PlannedFile } from './folder-plan.ts';
import { writeModelConfig } from './pbtxt/model-config.ts';

export interface VllmOptions {
  readonly name: string;
  /** The arguments of vLLM's engine, in vLLM's own names. `model` is required; null leaves an argument out. */
  readonly engine: Readonly<Record<string, unknown>> & { readonly model: string };
  /** LoRA adapters: their names in requests, and their folders. */
  readonly adapters: ReadonlyMap<string, string>;
  /** Whether Triton checks the engine, too, when it reports whether the model is ready. */
  readonly checksHealth: boolean;
}

/** The folder of a model for Triton's vLLM backend. */
export function planVllm({ name, engine, adapters, checksHealth }: VllmOptions): FolderPlan {
  checkModelName(name);
  // With KIND_MODEL, vLLM chooses the GPUs, which tensor parallelism needs.
  const config = writeModelConfig({
    backend: 'vllm',
    instance_group: [{ kind: 'KIND_MODEL', count: 1 }],
    ...(checksHealth ? { parameters: { [healthCheck.name]: { string_value: healthCheck.value } } } : {}),
  });
  const lora = adapters.size === 0 ? {} : { enable_lora: true, max_loras: adapters.size };
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
