import { randomUUID } from 'node:crypto';
import { open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import type { Document } from 'yaml';
import type { CommandInput } from '../../config/load.ts';
import { resolvePath } from '../../config/paths.ts';
import { setting } from '../../config/setting.ts';
import { SettingsError } from '../../config/settings-error.ts';
import { text } from '../../config/value-types.ts';
import { type KeyEntry, KeyFileError, readKeyFile } from '../../keys/key-file.ts';
import { withLock } from './file-lock.ts';

/** The flag of the commands that work on a key file. */
export const fileFlag = setting(text.optional(), 'Set the key file.', {
  placeholder: 'FILE',
  defaultText: 'CONCH_API_KEY_FILE, else api_key_file of --config',
});

/** An open key file. */
interface OpenKeyFile {
  readonly file: string;
  /** Whether it is JSON, and is written as JSON. */
  readonly isJson: boolean;
  readonly document: Document;
  readonly keys: readonly KeyEntry[];
}

/** The key file of a command. */
export function keyFileOf(path: string | undefined, { apiKeyFile }: CommandInput['settings']): string {
  const file = path === undefined ? apiKeyFile : resolvePath(path, { homeDirectory: homedir() });
  if (file === undefined)
    throw new SettingsError([
      '--file is missing. Set the key file, for example --file keys.yaml, or CONCH_API_KEY_FILE.',
    ]);
  return file;
}

interface ReadOptions {
  /** A missing file counts as empty. */
  readonly mayBeMissing: boolean;
}

/** Changes a key file. Processes take turns. */
export async function changeKeyFile(
  file: string,
  options: ReadOptions,
  change: (keyFile: OpenKeyFile) => void,
): Promise<void> {
  if (!options.mayBeMissing) await openKeyFile(file, options);
  await withLock(file, async () => {
    const keyFile = await openKeyFile(file, options);
    change(keyFile);
    await saveKeyFile(keyFile);
  });
}

/** Reads a key file. */
export async function openKeyFile(file: string, { mayBeMissing }: ReadOptions): Promise<OpenKeyFile> {
  const content = await readFile(file, 'utf8').catch((error: unknown) => {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && mayBeMissing) return '';
    throw new SettingsError([
      `Cannot read the key file ${file}: ${code === 'ENOENT' ? 'file not found. Check the path' : code}.`,
    ]);
  });
  try {
    return { file, isJson: isJson(content), ...readKeyFile(file, content) };
  } catch (error) {
    throw error instanceof KeyFileError ? new SettingsError(error.problems) : error;
  }
}

/** The key name in the arguments of a command. */
export function onlyName(positionals: readonly string[], command: string): string {
  const [name, ...others] = positionals;
  if (name !== undefined && others.length === 0) return name;
  throw new SettingsError([`conch ${command} needs one key name. Write conch ${command} NAME.`]);
}

/** Replaces the file in one step, so that readers never see half of it. Only the owner may read a new file. */
async function saveKeyFile({ file, document, isJson: staysJson }: OpenKeyFile): Promise<void> {
  const target = await realpath(file).catch(() => file);
  const old = await stat(target).catch(() => undefined);
  const temporary = `${target}.${randomUUID()}.new`;
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      const json = staysJson ? `${JSON.stringify(document.toJS(), undefined, 2)}\n` : undefined;
      await handle.writeFile(json ?? document.toString({ lineWidth: 0 }));
      if (old) {
        await handle.chmod(old.mode & 0o777);
        // Only root can give it back to another user.
        if (process.getuid?.() === 0) await handle.chown(old.uid, old.gid);
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw new SettingsError([`Cannot write ${file}: ${(error as NodeJS.ErrnoException).code ?? String(error)}.`]);
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
