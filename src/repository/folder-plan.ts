import { copyFile, lstat, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isFolder } from '../file-kind.ts';
import { RepositoryError } from './finding.ts';

/** A file of a model folder that is to be written, from the repository's folder on. */
export type PlannedFile =
  | { readonly path: string; readonly content: string }
  | { readonly path: string; readonly copyOf: string }
  | { readonly path: string; readonly linkTo: string };

/** What makes up one or several new models. */
export interface FolderPlan {
  /** The folders of the models. */
  readonly models: readonly string[];
  readonly files: readonly PlannedFile[];
}

/** An empty folder is lost on the way through Git, archives and object stores. */
export function keptFolder(path: string): PlannedFile {
  return { path: join(path, '.gitkeep'), content: '' };
}

/** Refuses a name that cannot be a folder of a repository. */
export function checkModelName(name: string): void {
  if (/^[\w-][\w.-]*$/.test(name) && !name.endsWith('.')) return;
  throw new RepositoryError([
    `${JSON.stringify(name)} cannot be the name of a model: use letters, digits, and - _ . behind the first character.`,
  ]);
}

/** Writes a plan. Refuses to touch a model that is there, unless `force`; files that the plan does not name stay. */
export async function writePlan(
  { models, files }: FolderPlan,
  { repository, force }: { repository: string; force: boolean },
): Promise<void> {
  const present: string[] = [];
  for (const model of models) if (await exists(join(repository, model))) present.push(join(repository, model));
  if (present.length > 0 && !force) {
    throw new RepositoryError(present.map((folder) => `${folder} is already there. --force overwrites its files.`));
  }
  for (const file of files) await writePlanned(file, join(repository, file.path));
}

async function writePlanned(file: PlannedFile, target: string): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  if (await isFolder(target)) throw new RepositoryError([`${target} is a folder, but a file must stand there.`]);
  // Writing through a link would change the file that it leads to.
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

/** A plan as people read it: every file with what will stand in it. */
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
