import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Database from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StoreLimits } from './response-store.ts';
import { sqliteError } from './sqlite-errors.ts';
import { openDatabase } from './sqlite-file.ts';
import { SqliteResponses, type SqliteWrite } from './sqlite-responses.ts';

let folder: string;
let database: Database.Database;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'conch-responses-'));
  database = openDatabase(join(folder, 'responses.db'));
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

const now = Math.floor(Date.now() / 1000);
const wide: StoreLimits = { maxAge: Number.POSITIVE_INFINITY, maxSize: Number.POSITIVE_INFINITY };

function save(id: string, { size = 10, created = now } = {}): SqliteWrite {
  const row = { owner: 'ann', id, created, previousId: null, size, response: 'x'.repeat(size), input: '[]' };
  return { kind: 'save', row };
}

function ids(): unknown[] {
  return database.prepare('SELECT id FROM responses ORDER BY id').pluck().all();
}

function total(): unknown {
  return database.prepare('SELECT size FROM total').pluck().all()[0];
}

describe('responses in SQLite', () => {
  it('are written all or none', () => {
    const responses = new SqliteResponses(database, wide);
    expect(() => responses.write([save('a'), save('b', { created: 0.5 })])).toThrow('cannot store REAL value');
    expect([ids(), total()]).toEqual([[], 0]);
    expect(responses.write([save('a'), { kind: 'delete', owner: 'ann', id: 'b' }, save('b')])).toEqual([
      true,
      false,
      true,
    ]);
    expect([ids(), total()]).toEqual([['a', 'b'], 20]);
  });

  it('know their size, whatever was written', () => {
    const responses = new SqliteResponses(database, wide);
    responses.write([save('a', { size: 100 }), save('b', { size: 50 }), save('a', { size: 30 })]);
    expect(total()).toBe(80);
    responses.write([{ kind: 'delete', owner: 'ann', id: 'b' }]);
    expect(total()).toBe(30);
  });

  it('never are more than may be, even between two writes', () => {
    const responses = new SqliteResponses(database, { ...wide, maxSize: 25 });
    responses.write([save('a'), save('b')]);
    responses.write([save('c'), save('d', { created: now - 9 })]);
    expect([ids(), total()]).toEqual([['b', 'c'], 20]);
  });

  it('are removed some at a time', () => {
    new SqliteResponses(database, wide).write([
      ...Array.from({ length: 450 }, (_, at) => save(`old-${at}`, { created: now - 1000 })),
      ...Array.from({ length: 450 }, (_, at) => save(`young-${at}`)),
    ]);
    const responses = new SqliteResponses(database, { maxAge: 100, maxSize: 60 });
    const counts: number[] = [];
    while (responses.trim()) counts.push(ids().length);
    // In each step up to 200 that are too old, then up to 200 that are too many.
    expect(counts).toEqual([500, 250, 50]);
    expect([ids().length, total(), responses.exceedsLimits()]).toEqual([6, 60, false]);
  });

  it('are as they were after the disk was full, and can be written when there is room', () => {
    const responses = new SqliteResponses(database, wide);
    responses.write([save('a')]);
    database.pragma('max_page_count = 20');
    const full = (): unknown => responses.write([save('b'), save('large', { size: 1_000_000 })]);
    expect(full).toThrow('database or disk is full');
    const message = 'f.db: the disk is full. Free disk space, or store fewer responses.';
    expect(() => {
      try {
        full();
      } catch (error) {
        throw sqliteError(error, 'f.db');
      }
    }).toThrow(message);
    expect([ids(), total()]).toEqual([['a'], 10]);
    database.pragma('max_page_count = 100000');
    responses.write([save('large', { size: 1_000_000 })]);
    expect([ids(), total()]).toEqual([['a', 'large'], 1_000_010]);
  });
});
