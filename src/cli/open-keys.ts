import type { Logger } from 'pino';
import type { CommandInput } from '../config/load.ts';
import { SettingsError } from '../config/settings-error.ts';
import { wantsKey } from '../config/start-warnings.ts';
import { type JwtCheck, jwksProblem, jwtCheck } from '../keys/jwt.ts';
import type { KeyBook } from '../keys/key-book.ts';
import { KeyFileError, keptKeys, readKeyFile } from '../keys/key-file.ts';
import { type KeptKey, KeyRing } from '../keys/key-ring.ts';
import { digestIn, digestOf } from '../keys/secrets.ts';
import { FollowedFile } from './followed-file.ts';
import type { LiveSettings } from './live-settings.ts';

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
    onFault: (error: unknown) => {
      for (const problem of problemsOf(file, error)) logger.error(`the ${noun} stay as they were: ${problem}`);
    },
  });
  const keyFile = await opened(settings.apiKeyFile, (file) => ({
    ...options<readonly KeptKey[]>(file, 'keys', (keys) => keys.length),
    read: keyReader(file),
  }));
  const jwksFile = await opened(settings.jwtJwks, (file) => ({
    ...options<JwksContent>(file, 'keys of the issuer', ({ count }) => count),
    read: jwksReader(settings),
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
  await opened(settings.apiKeyFile, (file) => ({ ...nobody, read: keyReader(file) }));
  await opened(settings.jwtJwks, () => ({ ...nobody, read: jwksReader(settings) }));
}

async function opened<Content>(
  file: string | undefined,
  options: (file: string) => Parameters<typeof FollowedFile.open<Content>>[1],
): Promise<FollowedFile<Content> | undefined> {
  if (file === undefined) return undefined;
  try {
    return await FollowedFile.open(file, options(file));
  } catch (error) {
    throw new SettingsError(problemsOf(file, error));
  }
}

function problemsOf(file: string, error: unknown): readonly string[] {
  if (error instanceof KeyFileError) return error.problems;
  const reason = (error as NodeJS.ErrnoException).code ?? (error instanceof Error ? error.message : String(error));
  return [`${file} cannot be read: ${reason}.`];
}

function keyReader(file: string): (text: string) => readonly KeptKey[] {
  return (text) => keptKeys(readKeyFile(file, text).keys);
}

interface JwksContent {
  readonly check: JwtCheck;
  readonly count: number;
}

function jwksReader({ jwtJwks = '', jwtIssuer = '', jwtAudience, jwtClaimPrefix }: Settings) {
  return (text: string): JwksContent => {
    const content = parsedJson(text);
    const problem = jwksProblem(content);
    if (problem !== undefined) throw new KeyFileError([`${jwtJwks}: ${problem}.`]);
    const options = { issuer: jwtIssuer, audiences: jwtAudience, claimPrefix: jwtClaimPrefix };
    return { check: jwtCheck(content, options), count: (content as { keys: unknown[] }).keys.length };
  };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
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
