import { dirname, isAbsolute, join } from 'node:path';
import type { ProcessContext } from './setting.ts';

/** Whether the name of a tokenizer can only be a folder, and not a name on the Hugging Face hub. */
export function looksLikePath(name: string): boolean {
  return /^(\.{1,2}(\/|$)|[/~])|\\|^[a-z]:/i.test(name) || name.split('/').length > 2 || name.endsWith('/');
}

/** A path with `~` filled in. A path in a file is relative to the folder of that file. */
export function resolvePath(path: string, { homeDirectory, file }: { homeDirectory: string; file?: string }): string {
  if (path === '~' || path.startsWith('~/')) return join(homeDirectory, path.slice(1));
  if (file === undefined || isAbsolute(path)) return path;
  const joined = join(dirname(file), path);
  // `./name` beside the file must not turn into `name`, which would be one on the hub.
  return looksLikePath(path) && !looksLikePath(joined) ? `./${joined}` : joined;
}

/** The default folder of downloads. */
export function defaultCacheDirectory({
  environment,
  platform,
  homeDirectory,
}: Pick<ProcessContext, 'environment' | 'platform' | 'homeDirectory'>): string {
  const chosen = environment['XDG_CACHE_HOME'];
  if (chosen !== undefined && isAbsolute(chosen)) return join(chosen, 'conch');
  if (platform === 'darwin') return join(homeDirectory, 'Library', 'Caches', 'conch');
  if (platform === 'win32')
    return join(environment['LOCALAPPDATA'] ?? join(homeDirectory, 'AppData', 'Local'), 'conch');
  return join(homeDirectory, '.cache', 'conch');
}

/** The two parts of `NAME=FILE`: the name with its `=`, and the file. A name has no slash. */
export function namedFile(written: string): [name: string, file: string] {
  const [, name = '', file = written] = /^([^/\\=]+=)(.*)$/s.exec(written) ?? [];
  return [name, file];
}
