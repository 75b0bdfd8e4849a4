import type { Logger } from 'pino';
import type { CommandInput } from '../config/load.ts';
import { SettingsError } from '../config/settings-error.ts';
import { wantsKey } from '../config/start-warnings.ts';
import type { KeyBook } from '../keys/key-book.ts';
import { type KeptKey, KeyRing } from '../keys/key-ring.ts';
import { digestIn, digestOf } from '../keys/secrets.ts';
import type { JwksContent, KeyReaders } from './key-readers.ts';
import type { LiveSettings } from './live-settings.ts';
import { FollowedFile } from './watch-file.ts';

type Settings = CommandInput['settings'];

interface KeysOptions {
  /** Ends the watch over the files. */
  readonly signal: AbortSignal;
  readonly logger: Logger;
}

/** All keys that the settings name, and those of their files as they are at each time. */
export async function openKeys(live: LiveSettings, { signal, logger }: KeysOptions): Promise<KeyBook> {
  const settings = live.current;
  const options = <Content>(file: string, noun: string, count: (content: Content) => number) => ({
    signal,
    onChange: (content: Content) => logger.info(`${file} was read again: ${count(content)} ${noun} in effect`),
    onFault: (problems: readonly string[]) => {
      for (const problem of problems) logger.error(`the ${noun} stay as they were: ${problem}`);
    },
  });
  const keyFile = await openFollowed(settings, settings.apiKeyFile, (file, readers) => ({
    ...options<readonly KeptKey[]>(file, 'keys', (keys) => keys.length),
    read: readers.keys,
  }));
  const jwksFile = await openFollowed(settings, settings.jwtJwks, (file, readers) => ({
    ...options<JwksContent>(file, 'keys of the issuer', ({ count }) => count),
    read: readers.jwks,
  }));
  let isLocked = wantsKey(settings);
  const ring = remembered((apiKeys: readonly string[], kept: readonly KeptKey[] | undefined) => {
    // A Conch that had keys never opens to all because they are gone from a file.
    isLocked ||= apiKeys.length > 0;
    return new KeyRing([...apiKeys.map(settingKey), ...(kept ?? [])]);
  });
  const current = () => ring(live.current.apiKey, keyFile?.current);
  return {
    get ring() {
      return current();
    },
    get isLocked() {
      current();
      return isLocked;
    },
    get jwt() {
      return jwksFile?.current.check;
    },
  };
}

/** Reads the files of keys as a start would. Throws a SettingsError. */
export async function checkKeyFiles(settings: Settings): Promise<void> {
  const nobody = { signal: AbortSignal.abort(), onChange: () => undefined, onFault: () => undefined };
  await openFollowed(settings, settings.apiKeyFile, (_, { keys }) => ({ ...nobody, read: keys }));
  await openFollowed(settings, settings.jwtJwks, (_, { jwks }) => ({ ...nobody, read: jwks }));
}

type FollowOptions<Content> = Omit<Parameters<typeof FollowedFile.open<Content>>[1], 'onFault'> & {
  readonly onFault: (problems: readonly string[]) => void;
};

/** What reads such files is loaded where there is one. */
async function openFollowed<Content>(
  settings: Settings,
  file: string | undefined,
  options: (file: string, readers: KeyReaders) => FollowOptions<Content>,
): Promise<FollowedFile<Content> | undefined> {
  if (file === undefined) return undefined;
  const { keyReaders } = await import('./key-readers.ts');
  const readers = keyReaders(file, settings);
  const { onFault, ...rest } = options(file, readers);
  try {
    return await FollowedFile.open(file, {
      ...rest,
      onFault: (error: unknown) => onFault(readers.problemsOf(error)),
    });
  } catch (error) {
    throw new SettingsError(readers.problemsOf(error));
  }
}

/** A key of --api-key: it has no limits. */
function settingKey(written: string, index: number): KeptKey {
  const name = `api-key-${index + 1}`;
  return { digest: digestIn(written) ?? digestOf(written), holder: { id: `setting:${index + 1}`, name } };
}

/** The same result for the same arguments as the last time. */
function remembered<Arguments extends readonly unknown[], Result>(
  make: (...given: Arguments) => Result,
): (...given: Arguments) => Result {
  let last: { readonly given: Arguments; readonly result: Result } | undefined;
  return (...given) => {
    if (!last?.given.every((value, index) => value === given[index])) last = { given, result: make(...given) };
    return last.result;
  };
}
