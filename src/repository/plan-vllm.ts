import { join } from 'node:path';
import { healthCheck, structuredOutputs } from '../vllm-arguments.ts';
import { checkModelName, type FolderPlan, type PlannedFile } from './folder-plan.ts';
import { writeModelConfig } from './pbtxt/model-config.ts';

export interface VllmOptions {
  readonly name: string;
  /** What vLLM's engine is started with, in vLLM's own names; `model` is required there, and null leaves one out. */
  readonly engine: Readonly<Record<string, unknown>> & { readonly model: string };
  /** LoRA adapters: the name under which requests ask for one, and its folder. */
  readonly adapters: ReadonlyMap<string, string>;
  /** Whether Triton asks the engine, too, whether the model is ready. */
  readonly checksHealth: boolean;
}

/** The folder of a model for Triton's vLLM backend. */
export function planVllm({ name, engine, adapters, checksHealth }: VllmOptions): FolderPlan {
  checkModelName(name);
  // KIND_MODEL leaves the choice of the GPUs to vLLM, which tensor parallelism needs.
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

/** The model first: it is what a reader looks for. */
function json(engine: Readonly<Record<string, unknown>>, model: string): string {
  const given = Object.entries(engine).filter(([, value]) => value !== null);
  return `${JSON.stringify({ model, ...Object.fromEntries(given) }, null, 2)}\n`;
}
