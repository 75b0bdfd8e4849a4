import Database from 'libsql';
import { expect, it } from 'vitest';
import { sqliteError } from './sqlite-errors.ts';

function system(code: string): Error {
  return Object.assign(new Error(`${code}: text of the system`), { code });
}

const writable = 'Grant write permission to the user that runs Conch, or use another path.';

it.each([
  [system('EACCES'), `f.db: the file or its folder is not writable (EACCES: text of the system). ${writable}`],
  [system('EROFS'), `f.db: the file or its folder is not writable (EROFS: text of the system). ${writable}`],
  [system('ENOSPC'), 'f.db: the disk is full. Free disk space, or store fewer responses.'],
  [system('EWHAT'), 'f.db: the database failed (EWHAT: text of the system).'],
  [
    new Database.SqliteError('database is locked', 'SQLITE_BUSY', 5),
    'f.db: another process has locked the database for more than 10 seconds. Stop that process, or use another file.',
  ],
  [
    new Database.SqliteError('attempt to write a readonly database', 'SQLITE_READONLY_DBMOVED', 8 | (4 << 8)),
    `f.db: the file or its folder is not writable (attempt to write a readonly database). ${writable}`,
  ],
  [
    new Database.SqliteError('disk I/O error', 'SQLITE_IOERR_FSYNC', 10 | (4 << 8)),
    'f.db: the disk cannot be read or written (disk I/O error). Check the disk and its free space.',
  ],
])('names the file and what to do: %s', (error, message) => {
  expect(sqliteError(error, 'f.db').message).toBe(message);
});
