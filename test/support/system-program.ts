import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where symbolic links need rights of their own, and there are no POSIX shells and signals. */
export const isWindows = process.platform === 'win32';

/**
 * Whether the tests of a system program are to be left out: they are where it is missing, with a line that says so;
 * with CI set nothing is left out, and they fail.
 */
export function isLeftOut(program: string): boolean {
  if (process.env['CI'] || programPath(program) !== undefined) return false;
  process.stderr.write(`${program} is not on PATH: its tests are left out.\n`);
  return true;
}

/** The file of a program on PATH; undefined where it is missing. */
export function programPath(program: string): string | undefined {
  const files = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, program));
  return files.find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
