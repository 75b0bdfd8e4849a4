import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStore } from '../../src/responses/store/open-store.ts';
import { StoreError } from '../../src/responses/store/store-error.ts';
import { responseOfSize, wide } from './locations.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'conch-sqlite-'));
  file = join(folder, 'responses.db');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** How many transactions the log of a database has: the last page of each says how large the database is after it. */
function transactionsIn(log: Buffer): number {
  const [header, frameHeader, page] = [32, 24, 4096];
  let count = 0;
  for (let at = header; at < log.length; at += frameHeader + page) if (log.readUInt32BE(at + 4) > 0) count++;
  return count;
}

describe('a SQLite store', () => {
  it('saves what waits together in few transactions', async () => {
    const store = await openStore(`sqlite:${file}`, wide);
    const before = transactionsIn(readFileSync(`${file}-wal`));
    await Promise.all(Array.from({ length: 100 }, (_, at) => store.save(responseOfSize(4096, { id: `resp_${at}` }))));
    const after = transactionsIn(readFileSync(`${file}-wal`));
    await store.close();
    expect(after - before).toBeGreaterThan(0);
    expect(after - before).toBeLessThanOrEqual(10);
  });

  it('leaves the event loop free while it waits for another process', async () => {
    const store = await openStore(`sqlite:${file}`, wide);
    const other = new Database(file);
    other.exec('BEGIN IMMEDIATE');
    // Were the event loop held, nobody could end the other's transaction before the time to wait is over.
    const saved = store.save(responseOfSize(1000, { id: 'resp_1' }));
    setTimeout(() => other.exec('COMMIT'), 50);
    await saved;
    other.close();
    expect(await store.find('ann', 'resp_1')).toBeDefined();
    await store.close();
  });

  it('says which file is at fault and what to do: to the operator at the start, in the log afterwards', async () => {
    writeFileSync(file, 'not a database '.repeat(1000));
    const damaged = `${file}: not a database, or damaged. Move it away together with ${file}-wal and ${file}-shm to start with a new one, or use another file.`;
    await expect(openStore(`sqlite:${file}`, wide)).rejects.toEqual(new StoreError(damaged));
    rmSync(file);
    const store = await openStore(`sqlite:${file}`, wide);
    const other = new Database(file);
    other.exec('DROP TABLE responses');
    other.close();
    const cause = new StoreError(`${file}: the database failed (no such table: responses).`);
    await expect(store.save(responseOfSize(1000, { id: 'resp_1' }))).rejects.toMatchObject({
      code: 'store_unavailable',
      status: 503,
      message: 'The response could not be stored. See the server log for details.',
      cause,
    });
    await expect(store.find('ann', 'resp_1')).rejects.toMatchObject({
      code: 'store_unavailable',
      message: 'Stored responses are unavailable at the moment. See the server log for details.',
      cause,
    });
    await expect(store.delete('ann', 'resp_1')).rejects.toMatchObject({
      code: 'store_unavailable',
      message: 'The response could not be deleted. See the server log for details.',
      cause,
    });
    await store.close();
  });
});
