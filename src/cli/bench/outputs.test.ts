import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { report } from '../../../test/support/bench-report.ts';
import { checkOutputs, writeReports } from './outputs.ts';

const folder = mkdtempSync(join(tmpdir(), 'conch-outputs-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('the files of conch bench', () => {
  it('are tried before, and stay as they are', async () => {
    const [old, fresh] = [join(folder, 'old.json'), join(folder, 'new.csv')];
    writeFileSync(old, 'before');
    await checkOutputs({ json: old, csv: fresh });
    expect([readFileSync(old, 'utf8'), existsSync(fresh)]).toEqual(['before', false]);
  });

  it('are refused under the names of their flags, all of them', async () => {
    const nowhere = join(folder, 'none', 'a.json');
    const error: unknown = await checkOutputs({ json: nowhere, html: folder }).catch((each: unknown) => each);
    expect(error).toMatchObject({
      problems: [
        expect.stringContaining(`--json: cannot write ${nowhere}: ENOENT`),
        expect.stringContaining(`--html: cannot write ${folder}: EISDIR`),
      ],
    });
  });

  it('are written, those that can be', async () => {
    const file = join(folder, 'a.csv');
    await expect(writeReports(report, { json: folder, csv: file })).rejects.toThrow('--json: ');
    expect(readFileSync(file, 'utf8')).toContain('request_latency');
  });
});
