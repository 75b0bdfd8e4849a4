import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * Whether the tests of a system program are to be left out: they are where it is missing, with a line that says so;
 * with CI set nothing is left out, and they fail.
 */
export function isLeftOut(program: string): boolean {
  if (process.env['CI'] || isOnPath(program)) return false;
  process.stderr.write(`${program} is not on PATH: its tests are left out.\n`);
  return true;
}

function isOnPath(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
