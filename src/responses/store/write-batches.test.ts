import Database from 'libsql';
import { describe, expect, it } from 'vitest';
import type { SqliteWrite } from './sqlite-responses.ts';
import { WriteBatches } from './write-batches.ts';

function save(id: string, size = 10): SqliteWrite {
  return { kind: 'save', row: { owner: '', id, created: 0, previousId: null, size, response: '', input: '' } };
}

function idOf(write: SqliteWrite): string {
  return write.kind === 'save' ? write.row.id : write.id;
}

/** Batches whose sizes are written down; writes of these ids fail. */
function recorded(failing: Readonly<Record<string, Error>> = {}): { batches: WriteBatches; sizes: number[] } {
  const sizes: number[] = [];
  const batches = new WriteBatches((writes) => {
    sizes.push(writes.length);
    for (const write of writes) if (failing[idOf(write)]) throw failing[idOf(write)];
    return writes.map((write) => write.kind === 'save');
  });
  return { batches, sizes };
}

describe('writes that wait together', () => {
  it('are one transaction', async () => {
    const { batches, sizes } = recorded();
    const writes = Array.from({ length: 100 }, (_, at) => batches.add(save(String(at))));
    const deleted = batches.add({ kind: 'delete', owner: '', id: 'a' });
    expect([await Promise.all(writes), await deleted]).toEqual([Array.from({ length: 100 }, () => true), false]);
    expect(sizes).toEqual([101]);
  });

  it('are several when there is much to write', async () => {
    const { batches, sizes } = recorded();
    const mebibyte = 2 ** 20;
    const writes = [40, 6, 6, 6, 1].map((size, at) => batches.add(save(String(at), size * mebibyte)));
    await Promise.all(writes);
    expect(sizes).toEqual([1, 2, 2]);
  });

  it('do not fail with the one that cannot be written', async () => {
    const error = new Error('not this one');
    const { batches, sizes } = recorded({ b: error });
    const results = await Promise.allSettled(['a', 'b', 'c'].map((id) => batches.add(save(id))));
    expect(results).toEqual([
      { status: 'fulfilled', value: true },
      { status: 'rejected', reason: error },
      { status: 'fulfilled', value: true },
    ]);
    expect(sizes).toEqual([3, 1, 1, 1]);
  });

  it('do not wait for another process one after the other', async () => {
    const busy = new Database.SqliteError('database is locked', 'SQLITE_BUSY', 5);
    const { batches, sizes } = recorded({ b: busy });
    const results = await Promise.allSettled(['a', 'b', 'c'].map((id) => batches.add(save(id))));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(sizes).toEqual([3]);
  });
});
