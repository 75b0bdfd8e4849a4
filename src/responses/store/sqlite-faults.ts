import Database from 'libsql';
import { codeOf } from '../../thrown.ts';
import { StoreError } from './store-error.ts';

/** Milliseconds that a write waits for those of other processes. */
export const busyTimeout = 10_000;

/** A fault of the file or of SQLite, with the file and what to do about it. */
export function sqliteFault(error: unknown, file: string): StoreError {
  if (error instanceof StoreError) return error;
  const text = error instanceof Error ? error.message : String(error);
  return new StoreError(explain(reasonOf(error), { file, text }));
}

/** Whether another process holds the file: the same write may succeed a moment later. */
export function isBusy(error: unknown): boolean {
  return reasonOf(error) === 'busy';
}

type Reason = 'busy' | 'corrupt' | 'full' | 'input-output' | 'not-a-folder' | 'not-a-file' | 'not-writable' | 'other';

function explain(reason: Reason, { file, text }: { file: string; text: string }): string {
  switch (reason) {
    case 'busy':
      return `${file}: another process has held the database for more than ${busyTimeout / 1000} seconds. End that process, or give this one a file of its own.`;
    case 'corrupt':
      return `${file}: this is not a database, or it is damaged. Move it away together with ${file}-wal and ${file}-shm, and a new one is made; or name another file.`;
    case 'full':
      return `${file}: the disk is full. Make room on it, or keep fewer responses.`;
    case 'input-output':
      return `${file}: the disk cannot be read or written (${text}). Check the disk and the space on it.`;
    case 'not-a-folder':
      return `${file}: what should be its folder is a file. Name another path.`;
    case 'not-a-file':
      return `${file}: this is a folder. Name a file in it.`;
    case 'not-writable':
      return `${file}: the file or its folder cannot be written (${text}). Give the user that Conch runs as the right to, or name another path.`;
    case 'other':
      return `${file}: the database failed (${text}).`;
  }
}

function reasonOf(error: unknown): Reason {
  if (error instanceof Database.SqliteError) return sqliteReasons[(error.rawCode ?? 0) & 0xff] ?? 'other';
  return systemReasons[codeOf(error) ?? ''] ?? 'other';
}

/** By SQLite's primary result codes. */
const sqliteReasons: Readonly<Record<number, Reason>> = {
  5: 'busy',
  6: 'busy',
  8: 'not-writable',
  10: 'input-output',
  11: 'corrupt',
  13: 'full',
  14: 'not-writable',
  26: 'corrupt',
};

const systemReasons: Readonly<Record<string, Reason>> = {
  EACCES: 'not-writable',
  EPERM: 'not-writable',
  EROFS: 'not-writable',
  ENOSPC: 'full',
  EDQUOT: 'full',
  EIO: 'input-output',
  EISDIR: 'not-a-file',
  ENOTDIR: 'not-a-folder',
  EEXIST: 'not-a-folder',
};
