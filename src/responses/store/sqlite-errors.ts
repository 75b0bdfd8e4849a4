import Database from 'libsql';
import { codeOf } from '../../thrown.ts';
import { StoreError } from './store-error.ts';

/** Milliseconds that a write waits for writes of other processes. */
export const busyTimeout = 10_000;

/** Describes an error of the file or of SQLite: the file, the error and what to do. */
export function sqliteError(error: unknown, file: string): StoreError {
  if (error instanceof StoreError) return error;
  const text = error instanceof Error ? error.message : String(error);
  return new StoreError(explain(reasonOf(error), { file, text }));
}

/** Whether another process has locked the file. The same write may succeed later. */
export function isBusy(error: unknown): boolean {
  return reasonOf(error) === 'busy';
}

type Reason = 'busy' | 'corrupt' | 'full' | 'input-output' | 'not-a-folder' | 'not-a-file' | 'not-writable' | 'other';

function explain(reason: Reason, { file, text }: { file: string; text: string }): string {
  switch (reason) {
    case 'busy':
      return `${file}: another process has locked the database for more than ${busyTimeout / 1000} seconds. Stop that process, or use another file.`;
    case 'corrupt':
      return `${file}: not a database, or damaged. Move it away together with ${file}-wal and ${file}-shm to start with a new one, or use another file.`;
    case 'full':
      return `${file}: the disk is full. Free disk space, or store fewer responses.`;
    case 'input-output':
      return `${file}: the disk cannot be read or written (${text}). Check the disk and its free space.`;
    case 'not-a-folder':
      return `${file}: a parent of this path is a file, not a folder. Use another path.`;
    case 'not-a-file':
      return `${file}: this is a folder. Use the path of a file.`;
    case 'not-writable':
      return `${file}: the file or its folder is not writable (${text}). Grant write permission to the user that runs Conch, or use another path.`;
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
