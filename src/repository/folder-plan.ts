import { copyFile, lstat, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isFolder } from '../file-kind.ts';
import { RepositoryError } from './finding.ts';

/** A file to write in a model folder; the path is relative to the repository. */
export type PlannedFile =
  | { readonly path: string; readonly content: string }
  | { readonly path: string; readonly copyOf: string }
  | { readonly path: string; readonly linkTo: string };

/** The folders and files of new models. */
export interface FolderPlan {
  /** The folders of the models. */
  readonly models: readonly string[];
  readonly files: readonly PlannedFile[];
}

/** A file for an empty folder, which Git, archives and object stores would drop. */
export function gitkeepFile(path: string): PlannedFile {
  return { path: join(path, '.gitkeep'), content: '' };
}

/** Throws a RepositoryError for a name that cannot be a folder of a repository. */
export function checkModelName(name: string): void {
  if (/^[\w-][\w.-]*$/.test(name) && !name.endsWith('.')) return;
  throw new RepositoryError([
    `${JSON.stringify(name)} is not a valid model name: use letters, digits, - and _, with dots only inside the name.`,
  ]);
}

/** Writes a plan. Changes an existing model only with `force`; files outside the plan stay. */
export async function writePlan(
  { models, files }: FolderPlan,
  { repository, force }: { repository: string; force: boolean },
): Promise<void> {
  const present: string[] = [];
  for (const model of models) if (await exists(join(repository, model))) present.push(join(repository, model));
  if (present.length > 0 && !force) {
    throw new RepositoryError(present.map((folder) => `${folder} already exists. Set --force to overwrite its files.`));
  }
  for (const file of files) await writePlanned(file, join(repository, file.path));
}

async function writePlanned(file: PlannedFile, target: string): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  if (await isFolder(target))
    throw new RepositoryError([`${target} is a folder, but must be a file. Move the folder.`]);
  // Writing through a link would change its target.
  await rm(target, { force: true });
  if ('content' in file) await writeFile(target, file.content);
  else if ('copyOf' in file) await copyFile(file.copyOf, target);
  else await symlink(file.linkTo, target);
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** A plan as text: every file with its content. */
export function describePlan({ files }: FolderPlan, repository: string): string {
  return files
    .map((file) => {
      const path = join(repository, file.path);
      if ('copyOf' in file) return `--- ${path} (a copy of ${file.copyOf})\n`;
      if ('linkTo' in file) return `--- ${path} (a link to ${file.linkTo})\n`;
      return `--- ${path}\n${file.content}`;
    })
    .join('\n')
    .trimEnd();
}
