import { join } from 'node:path';
import { embeddedBackend } from './backend.ts';
import { checkModelName, type FolderPlan, gitkeepFile, type PlannedFile } from './folder-plan.ts';
import { writeModelConfig } from './pbtxt/model-config.ts';

export interface LlamacppOptions {
  readonly name: string;
  /** Where the weights are, and whether the folder gets a copy, a link, or just the path. All paths are absolute. */
  readonly weights: { readonly file: string; readonly as: 'copy' | 'link' | 'path' };
  readonly contextLength?: number | undefined;
  readonly sequences?: number | undefined;
  /** LoRA adapters: their names in requests, and their files. */
  readonly adapters: ReadonlyMap<string, string>;
}

/** The folder of a model for the embedded engine. */
export function planLlamacpp({ name, weights, contextLength, sequences, adapters }: LlamacppOptions): FolderPlan {
  checkModelName(name);
  const parameters = {
    model_path: weights.as === 'path' ? weights.file : undefined,
    context_length: contextLength?.toString(),
    sequences: sequences?.toString(),
    lora: adapters.size === 0 ? undefined : [...adapters].map(([adapter, file]) => `${adapter}=${file}`).join(','),
  };
  const config = writeModelConfig({
    backend: embeddedBackend,
    parameters: Object.fromEntries(
      Object.entries(parameters).flatMap(([key, value]) =>
        value === undefined ? [] : [[key, { string_value: value }]],
      ),
    ),
  });
  return {
    models: [name],
    files: [{ path: join(name, 'config.pbtxt'), content: config }, weightsFile(join(name, '1'), weights)],
  };
}

function weightsFile(folder: string, { file, as }: LlamacppOptions['weights']): PlannedFile {
  const path = join(folder, 'model.gguf');
  if (as === 'copy') return { path, copyOf: file };
  return as === 'link' ? { path, linkTo: file } : gitkeepFile(folder);
}
