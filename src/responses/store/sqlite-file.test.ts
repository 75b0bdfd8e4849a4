import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from './sqlite-file.ts';
import { StoreError } from './store-error.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'conch-sqlite-file-'));
  file = join(folder, 'deep', 'responses.db');
});
afterEach(() => rmSync(folder, { recursive: true }));

function refuses(path: string, message: string): void {
  expect(() => openDatabase(path)).toThrow(new StoreError(message));
}

describe('the file of a SQLite store', () => {
  it('is readable only by its owner, and so is its folder', () => {
    const database = openDatabase(file);
    const modes = ['', ...readdirSync(join(folder, 'deep'))].map((name) => {
      return [name, (statSync(join(folder, 'deep', name)).mode & 0o777).toString(8)];
    });
    database.close();
    expect(modes).toEqual([
      ['', '700'],
      ['responses.db', '600'],
      ['responses.db-shm', '600'],
      ['responses.db-wal', '600'],
    ]);
  });

  it('waits for the disk at every transaction, and for other processes', () => {
    const database = openDatabase(file);
    const setting = (name: string): unknown => database.prepare(`PRAGMA ${name}`).pluck().all()[0];
    expect(['journal_mode', 'synchronous', 'busy_timeout'].map(setting)).toEqual(['wal', 2, 10_000]);
    database.close();
  });

  it('is refused when a newer version made it', () => {
    const database = openDatabase(file);
    database.exec('PRAGMA user_version = 2');
    database.close();
    refuses(
      file,
      `${file}: a newer version of Conch created it (schema 2; this version supports up to 1). Upgrade Conch, or use another file.`,
    );
  });

  it('is refused when it is of another program', () => {
    const path = join(folder, 'other.db');
    const database = new Database(path);
    database.exec('CREATE TABLE songs (title TEXT)');
    database.close();
    refuses(path, `${path}: this is the database of another program. Use another file.`);
  });

  it.each(['from its first byte', 'after its header'])('is refused when it is damaged %s', (location) => {
    const path = join(folder, 'damaged.db');
    if (location === 'after its header') {
      const database = new Database(path);
      database.exec('PRAGMA user_version = 1; CREATE TABLE responses (id TEXT)');
      database.close();
      writeFileSync(path, Buffer.alloc(3000, 0xee), { flag: 'r+' });
    } else writeFileSync(path, 'not a database '.repeat(1000));
    refuses(
      path,
      `${path}: not a database, or damaged. Move it away together with ${path}-wal and ${path}-shm to start with a new one, or use another file.`,
    );
  });

  it('is refused where no file can be', () => {
    mkdirSync(join(folder, 'taken.db'));
    writeFileSync(join(folder, 'plain'), '');
    refuses(join(folder, 'taken.db'), `${join(folder, 'taken.db')}: this is a folder. Use the path of a file.`);
    for (const path of [join(folder, 'plain', 'x.db'), join(folder, 'plain', 'deep', 'x.db')]) {
      refuses(path, `${path}: a parent of this path is a file, not a folder. Use another path.`);
    }
  });

  // Root may write everywhere.
  it.skipIf(process.getuid?.() === 0)('is refused in a folder that cannot be written', () => {
    chmodSync(folder, 0o500);
    const path = join(folder, 'x.db');
    refuses(
      path,
      `${path}: the file or its folder is not writable (EACCES: permission denied, open '${path}'). Grant write permission to the user that runs Conch, or use another path.`,
    );
  });
});
