import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { isFile, isFolder } from '../file-kind.ts';
import { backendOf, embeddedBackend } from './backend.ts';
import { type Finding, ModelError, RepositoryError } from './finding.ts';
import { describeLlamacpp } from './llamacpp-model.ts';
import { type ModelFolder, readConfigFile, subfolders, versionFolders } from './model-folder.ts';
import { completeModelConfig, type ModelConfigFile } from './pbtxt/model-config.ts';
import type { ModelRepository, RepositoryModel } from './repository-model.ts';

/**
 * Reads model repositories in Triton's layout. A broken model is included as unavailable, with its reason. Throws a
 * RepositoryError if a folder is missing, if there are no models, or if two models have the same name.
 */
export async function readRepository(folders: readonly string[]): Promise<ModelRepository> {
  const distinct = await checkFolders(folders);
  const read = await Promise.all(distinct.map(readFolder));
  const models = read
    .flatMap((repository) => repository.models)
    .toSorted((left, right) => (left.name < right.name ? -1 : 1));
  if (models.length === 0) throw new RepositoryError(await Promise.all(distinct.map(emptyProblem)));
  const twins = twinProblems(models);
  if (twins.length > 0) throw new RepositoryError(twins);
  return { models, notes: read.flatMap((repository) => repository.notes) };
}

/** The folders without duplicates. */
async function checkFolders(folders: readonly string[]): Promise<readonly string[]> {
  const found = new Map<string, string>();
  const problems: string[] = [];
  for (const folder of folders) {
    if (!(await isFolder(folder))) problems.push(`The model repository ${folder} is not a folder.`);
    else found.set(await realpath(folder), folder);
  }
  if (problems.length > 0) throw new RepositoryError(problems);
  return [...found.values()];
}

async function emptyProblem(folder: string): Promise<string> {
  if (await isFile(join(folder, 'config.pbtxt'))) {
    return `${folder} is a model, not a model repository. Use its parent folder.`;
  }
  return `The model repository ${folder} has no models. A model is a folder with a config.pbtxt and a version folder such as 1.`;
}

function twinProblems(models: readonly RepositoryModel[]): string[] {
  return models.flatMap((model, at) => {
    const next = models[at + 1];
    return next?.name === model.name
      ? [`Two models have the name ${model.name}: ${model.folder} and ${next.folder}.`]
      : [];
  });
}

async function readFolder(repository: string): Promise<ModelRepository> {
  const names = (await subfolders(repository)).filter((name) => !name.startsWith('.'));
  const models = await Promise.all(names.map((name) => readModel(repository, name)));
  return {
    models: models.filter((model) => model !== undefined),
    notes: names
      .filter((_, at) => models[at] === undefined)
      .map((name) => ({
        severity: 'note',
        file: join(repository, name),
        text: 'it is not a model and is ignored: it has no config.pbtxt and no version folder.',
      })),
  };
}

/** Undefined for a folder that is not a model. */
async function readModel(repository: string, name: string): Promise<RepositoryModel | undefined> {
  const folder = join(repository, name);
  const identity = { name, repository, folder };
  const configFile = join(folder, 'config.pbtxt');
  let backend: string | undefined;
  try {
    const [versions, read] = await Promise.all([versionFolders(folder), readConfigFile(configFile)]);
    if (read === undefined && versions.length === 0) return undefined;
    const source: ModelFolder = { folder, read, configFile, versions };
    const config = read?.config ?? completeModelConfig({});
    backend = await backendOf(config, { name, folder, versions });
    checkName(source, name);
    const filled = { ...config, name, backend: requireBackend(backend, source) };
    const { served, findings } = versionsOf(source, filled.backend);
    const common = { ...identity, state: 'available', source, versions: served } as const;
    if (filled.backend !== embeddedBackend) {
      // Triton knows an ensemble by its platform; a backend of that name does not exist.
      const known = filled.backend === 'ensemble' ? { ...config, name } : filled;
      return { ...common, runsOn: 'tritonserver', backend: filled.backend, config: known, findings };
    }
    const { model, findings: more } = await describeLlamacpp(source, served);
    const all = [...findings, ...more];
    return { ...common, runsOn: 'embedded', backend: filled.backend, config: filled, llamacpp: model, findings: all };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return { ...identity, state: 'unavailable', backend, reason: error.message, findings: [error.finding] };
  }
}

function checkName({ read, configFile }: ModelFolder, name: string): void {
  const written = read?.config.name ?? '';
  if (written === '' || written === name) return;
  const position = read?.positions.get('name');
  throw new ModelError(
    `name is ${JSON.stringify(written)}, but the folder is ${JSON.stringify(name)}: they must be equal.`,
    {
      file: configFile,
      position,
    },
  );
}

function requireBackend(backend: string | undefined, { read, folder, configFile }: ModelFolder): string {
  if (backend !== undefined) return backend;
  const text =
    read === undefined
      ? 'it has no config.pbtxt, and none of its files identifies its backend.'
      : 'backend is not set, and none of its files identifies one.';
  throw new ModelError(text, { file: read === undefined ? folder : configFile });
}

function versionsOf(source: ModelFolder, backend: string): { served: readonly number[]; findings: readonly Finding[] } {
  const { folder, read, configFile } = source;
  // A model with model_path needs no version folder: Git and archives drop empty folders.
  const implied = backend === embeddedBackend && read?.config.parameters['model_path'] !== undefined;
  const existing = source.versions.length === 0 && implied ? [1] : source.versions;
  if (existing.length === 0) throw new ModelError('it has no version folder such as 1.', { file: folder });
  const { versions, missing } = servedVersions(read?.config.version_policy, existing);
  const location = { file: configFile, position: read?.positions.get('version_policy') };
  if (versions.length === 0) {
    throw new ModelError(`version_policy selects none of the versions ${existing.join(', ')}.`, location);
  }
  const findings = missing.map(
    (version): Finding => ({
      severity: 'warning',
      ...location,
      text: `version_policy selects version ${version}, which does not exist.`,
    }),
  );
  return { served: versions, findings };
}

/** The existing versions that a policy selects, ascending; `missing` are selected versions that do not exist. */
function servedVersions(
  policy: ModelConfigFile['version_policy'],
  existing: readonly number[],
): { versions: readonly number[]; missing: readonly number[] } {
  if (policy?.all !== undefined) return { versions: existing, missing: [] };
  if (policy?.specific !== undefined) {
    const selected = [...new Set(policy.specific.versions)].toSorted((left, right) => left - right);
    return {
      versions: selected.filter((version) => existing.includes(version)),
      missing: selected.filter((version) => !existing.includes(version)),
    };
  }
  const count = policy?.latest === undefined ? 1 : policy.latest.num_versions;
  return { versions: existing.slice(Math.max(existing.length - count, 0)), missing: [] };
}
