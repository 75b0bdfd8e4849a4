import { join, resolve } from 'node:path';
import { isFile, isFolder } from '../file-kind.ts';
import { checkEnsemble } from './check-ensemble.ts';
import { checkTensors } from './check-tensors.ts';
import { checkVllm } from './check-vllm.ts';
import type { Finding } from './finding.ts';
import { readRepository } from './read-repository.ts';
import type { AvailableModel, ModelRepository } from './repository-model.ts';

export interface CheckedRepository {
  readonly repository: ModelRepository;
  /** In the order of the models; folders that are not models come last. */
  readonly findings: readonly Finding[];
}

/** Reads repositories and finds everything that tritonserver or a backend would reject. Throws a RepositoryError. */
export async function checkRepository(folders: readonly string[]): Promise<CheckedRepository> {
  const repository = await readRepository(folders);
  const found = await Promise.all(
    repository.models.map(async (model) =>
      model.state === 'unavailable' ? model.findings : [...model.findings, ...(await checkModel(model, repository))],
    ),
  );
  return { repository, findings: [...found.flat(), ...repository.notes] };
}

async function checkModel(model: AvailableModel, repository: ModelRepository): Promise<readonly Finding[]> {
  return [
    ...checkTensors(model),
    ...checkParameters(model),
    ...(await checkFiles(model)),
    ...checkEnsemble(model, repository.models),
  ];
}

function checkParameters({ source, config }: AvailableModel): readonly Finding[] {
  const repeated = (source.read?.repeatedKeys ?? []).map(
    ({ path, line, column }): Finding => ({
      severity: 'warning',
      file: source.configFile,
      position: { line, column },
      text: `${path} is set twice: the last value applies.`,
    }),
  );
  const unfilled = Object.entries(config.parameters).flatMap(([name, { string_value: value }]): Finding[] => {
    const template = /\$\{\w+\}/.exec(value)?.[0];
    if (template === undefined) return [];
    const position = source.read?.positions.get(`parameters[${name}]`);
    return [
      {
        severity: 'warning',
        file: source.configFile,
        position,
        text: `${template} of the parameter ${name} is not filled in.`,
      },
    ];
  });
  return [...repeated, ...unfilled];
}

/** Checks that every served version has the files that its backend needs. */
async function checkFiles(model: AvailableModel): Promise<readonly Finding[]> {
  const { backend, versions, folder, config } = model;
  if (backend === 'vllm') return [...checkPath(folder), ...(await checkVllm(model, { isOwn: false }))];
  if (backend !== 'python') return [];
  const name = config.default_model_filename || 'model.py';
  const found = await Promise.all(
    versions.map((version) => checkPresent(join(folder, String(version), name), 'the code of a Python model')),
  );
  const isOwn = await hasOwnModel(model);
  return [...checkPath(folder), ...found.flat(), ...(isOwn ? await checkVllm(model, { isOwn }) : [])];
}

/** Whether a Python model is Conch's own vLLM model. */
async function hasOwnModel({ folder, versions }: AvailableModel): Promise<boolean> {
  const found = await Promise.all(versions.map((version) => isFolder(join(folder, String(version), 'conch_vllm'))));
  return found.includes(true);
}

/** Both backends pass the path to a shell unquoted, and then wait forever for a process that never starts. */
function checkPath(folder: string): readonly Finding[] {
  if (!/\s/.test(resolve(folder))) return [];
  return [
    {
      severity: 'warning',
      file: folder,
      text: 'its path contains a space: the Python backend of tritonserver hangs on it.',
    },
  ];
}

async function checkPresent(file: string, what: string): Promise<readonly Finding[]> {
  return (await isFile(file)) ? [] : [{ severity: 'error', file, text: `this file is missing: ${what}.` }];
}
