import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type JsonObject, parseJsonObject } from '../../json-object.ts';
import type { Finding } from './finding.ts';
import { isFile } from './model-folder.ts';
import type { AvailableModel } from './repository-model.ts';

/** Whether every version that is served has the files without which its backend does not start. */
export async function checkFiles(model: AvailableModel): Promise<readonly Finding[]> {
  const { backend, versions, folder, config } = model;
  if (backend !== 'python' && backend !== 'vllm') return [];
  const name = config.default_model_filename || 'model.py';
  const found = await Promise.all(
    versions.map((version) => {
      const versionFolder = join(folder, String(version));
      return backend === 'vllm'
        ? checkVllm(versionFolder)
        : checkPresent(join(versionFolder, name), 'the code of a Python model');
    }),
  );
  return [...checkPath(folder), ...found.flat()];
}

/** Both backends hand the path to a shell, and then wait without end for a process that never comes. */
function checkPath(folder: string): readonly Finding[] {
  if (!/\s/.test(resolve(folder))) return [];
  return [
    {
      severity: 'warning',
      file: folder,
      text: 'its path has a space: the Python backend of tritonserver hangs on it.',
    },
  ];
}

async function checkPresent(file: string, what: string): Promise<readonly Finding[]> {
  return (await isFile(file)) ? [] : [{ severity: 'error', file, text: `this file is missing: ${what}.` }];
}

async function checkVllm(folder: string): Promise<readonly Finding[]> {
  const file = join(folder, 'model.json');
  const missing = await checkPresent(file, 'the engine arguments of a vLLM model');
  if (missing.length > 0) return missing;
  const engine = await readJson(file);
  if (engine === undefined) return [{ severity: 'error', file, text: 'it is not a JSON object.' }];
  if (typeof engine['model'] !== 'string' || engine['model'] === '') {
    return [{ severity: 'error', file, text: 'it has no "model": the name on the Hugging Face hub, or a folder.' }];
  }
  const isOn = /^true$/i.test(String(engine['enable_lora']));
  if (!isOn) return [];
  const adapters = join(folder, 'multi_lora.json');
  const absent = await checkPresent(adapters, 'enable_lora is true, so the names of the adapters must stand here');
  if (absent.length > 0) return absent;
  return (await readJson(adapters)) === undefined
    ? [{ severity: 'error', file: adapters, text: 'it is not a JSON object.' }]
    : [];
}

async function readJson(file: string): Promise<JsonObject | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return parseJsonObject(text);
}
