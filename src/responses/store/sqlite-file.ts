import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'libsql';
import { busyTimeout, isBusy, sqliteFault } from './sqlite-faults.ts';
import { StoreError } from './store-error.ts';

/** Says that a file is ours: "Conc" in ASCII. */
const applicationId = 0x436f6e63;
const schemaVersion = 1;

// The columns of fixed size stand before the long ones: reading them never reads the pages that a long text flows over to.
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

/** Opens the database in a file, which is made where there is none, for its owner alone. */
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
    throw sqliteFault(error, file);
  }
}

function prepare(database: Database.Database, file: string): void {
  whenFree(() => {
    if (firstValue(database, 'PRAGMA journal_mode = WAL') !== 'wal')
      throw new StoreError(`${file}: its file system cannot share memory. Name a path on a local disk.`);
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

/** Whether the database is empty; one that is not ours, or that a newer version wrote, is refused. */
function isNew(database: Database.Database, file: string): boolean {
  if (firstValue(database, 'SELECT count(*) FROM sqlite_schema') === 0) return true;
  if (firstValue(database, 'PRAGMA application_id') !== applicationId) {
    throw new StoreError(`${file}: this is the database of another program. Name another file.`);
  }
  const version = Number(firstValue(database, 'PRAGMA user_version'));
  if (version > schemaVersion) {
    throw new StoreError(
      `${file}: a newer version of Conch made it (schema ${version}, this one knows ${schemaVersion}). Run that version, or name another file.`,
    );
  }
  return false;
}

function firstValue(database: Database.Database, sql: string): unknown {
  return database.prepare(sql).pluck().all()[0];
}

/** Does what SQLite does not wait for itself: two processes that make a file at once get in each other's way. */
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
