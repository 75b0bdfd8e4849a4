import type { Logger } from 'pino';
import type { CommandInput } from '../config/load.ts';
import { SettingsError } from '../config/settings-error.ts';
import { wantsKey } from '../config/start-warnings.ts';
import type { KeyRegistry } from '../keys/key-registry.ts';
import { KeyRing, type StoredKey } from '../keys/key-ring.ts';
import { digestIn, digestOf } from '../keys/secrets.ts';
import type { JwksContent, KeyReaders } from './key-readers.ts';
import type { LiveSettings } from './live-settings.ts';
import { FollowedFile } from './watch-file.ts';

type Settings = CommandInput['settings'];

interface KeysOptions {
  /** Ends the watch of the files. */
  readonly signal: AbortSignal;
  readonly logger: Logger;
}

/** All keys of the settings, and the current keys of their files. */
export async function openKeys(live: LiveSettings, { signal, logger }: KeysOptions): Promise<KeyRegistry> {
  const settings = live.current;
  const options = <Content>(file: string, noun: string, count: (content: Content) => number) => ({
    signal,
    onChange: (content: Content) => logger.info(`${file} was reloaded: ${count(content)} ${noun} in effect`),
    onError: (problems: readonly string[]) => {
      for (const problem of problems) logger.error(`the ${noun} are unchanged: ${problem}`);
    },
  });
  const keyFile = await openFollowed(settings, settings.apiKeyFile, (file, readers) => ({
    ...options<readonly StoredKey[]>(file, 'keys', (keys) => keys.length),
    read: readers.keys,
  }));
  const jwksFile = await openFollowed(settings, settings.jwtJwks, (file, readers) => ({
    ...options<JwksContent>(file, 'keys of the issuer', ({ count }) => count),
    read: readers.jwks,
  }));
  if (keyFile?.current.length === 0 && settings.apiKey.length === 0 && !jwksFile)
    logger.warn(`${settings.apiKeyFile} has no keys, so Conch rejects all requests. Add one: conch keys create NAME`);
  let isLocked = wantsKey(settings);
  const ring = cachedLast((apiKeys: readonly string[], fileKeys: readonly StoredKey[] | undefined) => {
    // Once Conch had keys, it never accepts requests without one, even if the file has no keys any more.
    isLocked ||= apiKeys.length > 0;
    return new KeyRing([...apiKeys.map(settingKey), ...(fileKeys ?? [])]);
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

/** Reads the key files as at the start. Throws a SettingsError. */
export async function checkKeyFiles(settings: Settings): Promise<void> {
  const noListeners = { signal: AbortSignal.abort(), onChange: () => undefined, onError: () => undefined };
  await openFollowed(settings, settings.apiKeyFile, (_, { keys }) => ({ ...noListeners, read: keys }));
  await openFollowed(settings, settings.jwtJwks, (_, { jwks }) => ({ ...noListeners, read: jwks }));
}

type KeyFileOptions<Content> = Omit<Parameters<typeof FollowedFile.open<Content>>[1], 'onError'> & {
  readonly onError: (problems: readonly string[]) => void;
};

/** The code that reads key files is loaded only if there is one. */
async function openFollowed<Content>(
  settings: Settings,
  file: string | undefined,
  options: (file: string, readers: KeyReaders) => KeyFileOptions<Content>,
): Promise<FollowedFile<Content> | undefined> {
  if (file === undefined) return undefined;
  const { keyReaders } = await import('./key-readers.ts');
  const readers = keyReaders(file, settings);
  const { onError, ...rest } = options(file, readers);
  try {
    return await FollowedFile.open(file, {
      ...rest,
      onError: (error: unknown) => onError(readers.problemsOf(error)),
    });
  } catch (error) {
    throw new SettingsError(readers.problemsOf(error));
  }
}

/** A key of --api-key: it has no limits. */
function settingKey(written: string, index: number): StoredKey {
  const name = `api-key-${index + 1}`;
  return { digest: digestIn(written) ?? digestOf(written), holder: { id: `setting:${index + 1}`, name } };
}

/** Caches the result of the last call; the same arguments give the same result. */
function cachedLast<Arguments extends readonly unknown[], Result>(
  make: (...parameters: Arguments) => Result,
): (...parameters: Arguments) => Result {
  let last: { readonly parameters: Arguments; readonly result: Result } | undefined;
  return (...parameters) => {
    if (!last?.parameters.every((value, index) => value === parameters[index]))
      last = { parameters, result: make(...parameters) };
    return last.result;
  };
}
