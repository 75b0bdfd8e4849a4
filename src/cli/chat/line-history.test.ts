import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { LineHistory } from './line-history.ts';

const folder = mkdtempSync(join(tmpdir(), 'conch-history-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('LineHistory', () => {
  it('stores lines for the next chat, readable only by their owner', () => {
    const file = join(folder, 'new', 'history');
    const history = new LineHistory(file);
    expect(history.newestFirst()).toEqual([]);
    for (const line of ['one', ' ', '', '/help']) history.add(line);
    expect(new LineHistory(file).newestFirst()).toEqual(['/help', 'one']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('keeps the newest thousand', () => {
    const file = join(folder, 'long');
    const lines = Array.from({ length: 2001 }, (_, index) => `line ${index}`);
    writeFileSync(file, lines.join('\n'));
    expect(new LineHistory(file).newestFirst()).toEqual(lines.slice(-1000).toReversed());
    expect(readFileSync(file, 'utf8')).toBe(`${lines.slice(-1000).join('\n')}\n`);
  });

  it('is empty where there can be no file', () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    const history = new LineHistory(join(file, 'below'));
    history.add('one');
    expect(history.newestFirst()).toEqual([]);
  });
});
