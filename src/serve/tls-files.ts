import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { Logger } from 'pino';
import { SettingsError } from '../config/settings-error.ts';
import type { TlsFiles, TlsSource } from '../http/tls.ts';
import { watchFile } from './watch-file.ts';

interface TlsPaths {
  readonly tlsCert?: string | undefined;
  readonly tlsKey?: string | undefined;
  readonly tlsClientCa?: string | undefined;
}

interface TlsReloadContext {
  readonly logger: Pick<Logger, 'info' | 'error'>;
  readonly stop: AbortSignal;
}

/** The certificate of Conch's ports, reloaded when one of its files changes; undefined without TLS. */
export function tlsFiles(paths: TlsPaths, { logger, stop }: TlsReloadContext): TlsSource | undefined {
  const files = namedFiles(paths);
  const [certFile] = files;
  if (certFile === undefined) return undefined;
  const listeners: ((read: TlsFiles) => void)[] = [];
  let current = firstRead(files);
  const readAgain = (): void => {
    try {
      const read = readFiles(files);
      if (isSame(read, current)) return;
      current = read;
      for (const take of listeners) take(read);
      logger.info(`${certFile} was reloaded: new connections get the new certificate`);
    } catch (error) {
      logger.error(`the certificate is unchanged: ${(error as Error).message}`);
    }
  };
  for (const file of files) watchFile(file, { signal: stop, onChange: readAgain });
  return {
    get current() {
      return current;
    },
    onChange: (take) => {
      listeners.push(take);
    },
  };
}

/** Reads the certificate as at the start. Throws a SettingsError. */
export function checkTlsFiles(paths: TlsPaths): void {
  const files = namedFiles(paths);
  if (files.length > 0) firstRead(files);
}

function namedFiles({ tlsCert, tlsKey, tlsClientCa }: TlsPaths): readonly string[] {
  if (tlsCert === undefined || tlsKey === undefined) return [];
  return [tlsCert, tlsKey, ...(tlsClientCa === undefined ? [] : [tlsClientCa])];
}

function firstRead(files: readonly string[]): TlsFiles {
  try {
    return readFiles(files);
  } catch (error) {
    throw new SettingsError([`--tls-cert: ${(error as Error).message}.`]);
  }
}

/** Reads the files. Throws if they do not match. */
function readFiles([certFile = '', keyFile = '', caFile]: readonly string[]): TlsFiles {
  const read = {
    cert: readFileSync(certFile),
    key: readFileSync(keyFile),
    ...(caFile === undefined ? {} : { ca: readFileSync(caFile) }),
  };
  try {
    createSecureContext(read);
  } catch (error) {
    const also = caFile === undefined ? '' : ` with ${caFile}`;
    throw new Error(
      `${certFile} and ${keyFile}${also} are not a certificate and its key: ${(error as Error).message}`,
      {
        cause: error,
      },
    );
  }
  return read;
}

function isSame(one: TlsFiles, other: TlsFiles): boolean {
  const bytes = ({ cert, key, ca }: TlsFiles): string => JSON.stringify([cert, key, ca]);
  return bytes(one) === bytes(other);
}
