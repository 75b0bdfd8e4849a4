import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { LogDestination } from './log-destination.ts';

function handles(path: string): number {
  const file = openSync(path, 'w');
  onTestFinished(() => closeSync(file));
  return file;
}

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'conch-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'log');
}

describe('LogDestination', () => {
  it.each([
    [true, false],
    [true, true],
    [false, false],
    [false, true],
  ])('writes every line in its order (batched: %s, shared: %s)', async (isBatched, isShared) => {
    const path = newFile();
    const destination = new LogDestination({ to: handles(path), isBatched, isShared, tell: () => undefined });
    const lines = Array.from({ length: 2000 }, (_, at) => `line ${at} ü\n`);
    for (const line of lines) destination.write(line);
    await vi.waitUntil(() => readFileSync(path).length >= Buffer.byteLength(lines.join('')), 30_000);
    expect(readFileSync(path, 'utf8')).toBe(lines.join(''));
  });

  it.skipIf(!existsSync('/dev/full')).each([true, false])(
    'tells once of a full disk, and keeps to a bound (batched: %s)',
    async (isBatched) => {
      const reported: string[] = [];
      const destination = new LogDestination({
        to: handles('/dev/full'),
        isBatched,
        isShared: false,
        tell: (text) => reported.push(text),
      });
      const line = `${'x'.repeat(999)}\n`;
      destination.write(line);
      await vi.waitUntil(() => reported.length > 0, 30_000);
      for (let count = 0; count < 5000; count++) destination.write(line);
      expect(reported).toEqual(['conch: writing the log failed (ENOSPC); requests are still served']);
      expect(destination.backlog).toBeLessThanOrEqual(2 ** 20);
      // Tried again and again, it keeps what it has, and takes no more.
      const { backlog } = destination;
      await new Promise((resolve) => setTimeout(resolve, 350));
      for (let count = 0; count < 5000; count++) destination.write(line);
      expect(destination.backlog).toBe(backlog);
    },
  );
});
