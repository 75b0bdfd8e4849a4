import { join, resolve } from 'node:path';
import { checkVllm } from './check-vllm.ts';
import type { Finding } from './finding.ts';
import { isFile } from './model-folder.ts';
import type { AvailableModel } from './repository-model.ts';

/** Whether every version that is served has the files without which its backend does not start. */
export async function checkFiles(model: AvailableModel): Promise<readonly Finding[]> {
  const { backend, versions, folder, config } = model;
  if (backend === 'vllm') return [...checkPath(folder), ...(await checkVllm(model))];
  if (backend !== 'python') return [];
  const name = config.default_model_filename || 'model.py';
  const found = await Promise.all(
    versions.map((version) => checkPresent(join(folder, String(version), name), 'the code of a Python model')),
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
