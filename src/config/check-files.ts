import { access, constants, readdir, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { modelTable } from './model-settings.ts';
import { looksLikePath, namedFile } from './paths.ts';
import type { Setting, SettingTable } from './setting.ts';
import { originOf, type Settings, settingTable } from './settings.ts';

interface NamedFile {
  readonly path: string;
  readonly expected: 'file' | 'folder';
  /** Whether the folder is one of a tokenizer. */
  readonly isTokenizer: boolean;
  readonly label: string;
}

/** The problems with the files and folders that the settings name, one line each. */
export async function checkFiles(settings: Settings): Promise<string[]> {
  const named = [
    ...filesIn(settingTable, { values: settings, prefix: '', settings }),
    ...Object.entries(settings.models).flatMap(([model, values]) =>
      filesIn(modelTable, { values, prefix: `models.${model}.`, settings }),
    ),
  ];
  const problems = await Promise.all(named.map(checkFile));
  return problems.filter((problem) => problem !== undefined);
}

function filesIn(
  table: SettingTable,
  { values, prefix, settings }: { values: object; prefix: string; settings: Settings },
): readonly NamedFile[] {
  return Object.entries(table).flatMap(([name, { path: kind }]: [string, Setting]): NamedFile[] => {
    if (kind === undefined) return [];
    const value: unknown = Reflect.get(values, name);
    const all = kind === 'folders-in-map' ? foldersIn(value) : [value].flat();
    const paths = all.filter((path) => typeof path === 'string');
    const label = originOf(settings, `${prefix}${name}`).where;
    const expected = kind === 'file' || kind === 'named-file' ? 'file' : 'folder';
    return paths
      .filter((path) => kind !== 'folder-or-name' || looksLikePath(path))
      .map(
        (path): NamedFile => ({
          path: kind === 'named-file' ? namedFile(path)[1] : folderOf(path, kind === 'folder-or-name'),
          expected,
          isTokenizer: kind === 'folder-or-name',
          label,
        }),
      );
  });
}

/** A tokenizer may be named by its file too. */
function folderOf(path: string, isTokenizer: boolean): string {
  return isTokenizer && basename(path) === 'tokenizer.json' ? dirname(path) : path;
}

function foldersIn(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.values(value).map((entry: unknown) => (entry as { readonly dir?: unknown }).dir);
}

async function checkFile({ path, expected, isTokenizer, label }: NamedFile): Promise<string | undefined> {
  const status = await stat(path).catch(() => undefined);
  if (status === undefined) return `${label}: ${expected} not found: ${path}. Check the path.`;
  if (expected === 'folder' ? !status.isDirectory() : status.isDirectory())
    return `${label}: ${path} is not a ${expected}. Set the path of a ${expected}.`;
  const readable = await access(path, constants.R_OK).then(
    () => true,
    () => false,
  );
  if (!readable) return `${label}: cannot read ${path}. Allow Conch to read it.`;
  if (!isTokenizer || (await holdsTokenizer(path))) return undefined;
  return `${label}: ${path} has neither tokenizer.json nor tokenizer_config.json. Set the folder of a tokenizer.`;
}

/** A folder that has only a chat template is accepted too. */
async function holdsTokenizer(folder: string): Promise<boolean> {
  const names = await readdir(folder);
  return names.some((name) => /^(tokenizer(_config)?\.json$|chat_template)/.test(name));
}
