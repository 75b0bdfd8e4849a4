import { inRoot } from './environment.ts';
import { type Outcome, runProgram } from './program.ts';

/** Runs the built program to its end. */
export function runConch(
  flags: readonly string[],
  environment: Readonly<Record<string, string | undefined>> = {},
): Promise<Outcome> {
  return runProgram(process.execPath, [inRoot('dist/main.js'), ...flags], { environment });
}
