import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'libsql';
import { busyTimeout, isBusy, sqliteError } from './sqlite-errors.ts';
import { StoreError } from './store-error.ts';

/** Marks the databases of Conch: "Conc" in ASCII. */
const applicationId = 0x436f6e63;
const schemaVersion = 1;

// Columns of fixed size come first, so that reading them does not read the overflow pages of long texts.
const schema = `
CREATE TABLE responses (
  owner TEXT NOT NULL,
  id TEXT NOT NULL,
  created INTEGER NOT NULL,
  previous_id TEXT,
  size INTEGER NOT NULL,
  response TEXT NOT NULL,
  input TEXT NOT NULL,
  PRIMARY KEY (owner, id)
) STRICT;
CREATE INDEX responses_by_age ON responses (created);
CREATE TABLE total (size INTEGER NOT NULL) STRICT;
INSERT INTO total VALUES (0);
CREATE TRIGGER response_added AFTER INSERT ON responses
  BEGIN UPDATE total SET size = size + NEW.size; END;
CREATE TRIGGER response_replaced AFTER UPDATE OF size ON responses
  BEGIN UPDATE total SET size = size + NEW.size - OLD.size; END;
CREATE TRIGGER response_removed AFTER DELETE ON responses
  BEGIN UPDATE total SET size = size - OLD.size; END;
PRAGMA application_id = ${applicationId};
PRAGMA user_version = ${schemaVersion};
`;

/** Opens the database in a file. A new file is readable only by its owner. */
export function openDatabase(file: string): Database.Database {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    closeSync(openSync(file, 'a', 0o600));
    const database = new Database(file, { timeout: busyTimeout });
    try {
      prepare(database, file);
    } catch (error) {
      database.close();
      throw error;
    }
    return database;
  } catch (error) {
    throw sqliteError(error, file);
  }
}

function prepare(database: Database.Database, file: string): void {
  whenFree(() => {
    if (firstValue(database, 'PRAGMA journal_mode = WAL') !== 'wal')
      throw new StoreError(`${file}: its file system does not support shared memory. Use a path on a local disk.`);
  });
  database.pragma('synchronous = FULL');
  database.pragma('journal_size_limit = 67108864');
  database.exec('BEGIN IMMEDIATE');
  try {
    if (isNew(database, file)) database.exec(schema);
    database.exec('COMMIT');
  } catch (error) {
    if (database.inTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** Whether the database is empty. Throws if another program or a newer version of Conch created it. */
function isNew(database: Database.Database, file: string): boolean {
  if (firstValue(database, 'SELECT count(*) FROM sqlite_schema') === 0) return true;
  if (firstValue(database, 'PRAGMA application_id') !== applicationId) {
    throw new StoreError(`${file}: this is the database of another program. Use another file.`);
  }
  const version = Number(firstValue(database, 'PRAGMA user_version'));
  if (version > schemaVersion) {
    throw new StoreError(
      `${file}: a newer version of Conch created it (schema ${version}; this version supports up to ${schemaVersion}). Upgrade Conch, or use another file.`,
    );
  }
  return false;
}

function firstValue(database: Database.Database, sql: string): unknown {
  return database.prepare(sql).pluck().all()[0];
}

/** Retries while another process creates the same file: SQLite itself does not wait then. */
function whenFree(action: () => void): void {
  const end = Date.now() + busyTimeout;
  for (;;) {
    try {
      return action();
    } catch (error) {
      if (!isBusy(error) || Date.now() > end) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
  }
}
