import { join } from 'node:path';
import { isFile, isFolder } from '../file-kind.ts';
import type { ModelConfigFile } from './pbtxt/model-config.ts';

/** The backend whose models run inside Conch. */
export const embeddedBackend = 'llamacpp';

const platforms: Readonly<Record<string, string>> = {
  ensemble: 'ensemble',
  tensorrt_plan: 'tensorrt',
  onnxruntime_onnx: 'onnxruntime',
  pytorch_libtorch: 'pytorch',
  tensorflow_graphdef: 'tensorflow',
  tensorflow_savedmodel: 'tensorflow',
};

/** Files of a version's folder that identify the backend of a model without one in its configuration. */
const telling: readonly (readonly [file: string, backend: string])[] = [
  ['model.gguf', embeddedBackend],
  ['model.plan', 'tensorrt'],
  ['model.onnx', 'onnxruntime'],
  ['model.pt', 'pytorch'],
  ['model.savedmodel', 'tensorflow'],
  ['model.graphdef', 'tensorflow'],
  ['model.xml', 'openvino'],
  ['model.py', 'python'],
];

interface BackendHints {
  readonly name: string;
  readonly folder: string;
  readonly versions: readonly number[];
}

/** The backend of a model, from its configuration, its files or the end of its name, as Triton completes it. */
export async function backendOf(
  config: Pick<ModelConfigFile, 'backend' | 'platform' | 'default_model_filename'>,
  { name, folder, versions }: BackendHints,
): Promise<string | undefined> {
  if (config.backend !== '') return config.backend;
  if (config.platform !== '') return platforms[config.platform] ?? config.platform;
  for (const version of versions) {
    for (const [file, backend] of telling) {
      const path = join(folder, String(version), file);
      if ((await isFile(path)) || (await isFolder(path))) return backend;
    }
  }
  // Triton treats `my.vllm` as a model of the backend vllm.
  const dot = name.indexOf('.');
  return dot > 0 && dot < name.length - 1 ? name.slice(dot + 1) : undefined;
}
