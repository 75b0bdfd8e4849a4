import { appendFileSync, readFileSync } from 'node:fs';
import type { Outage } from './cached-triton.ts';

/** Names the file that says which test files are to run again; `npm test` sets it. */
export const againVariable = 'CONCH_TEST_AGAIN';

/** Signals by which a program ends that crashed. Tests end servers with other signals. */
const crashSignals: ReadonlySet<NodeJS.Signals | null> = new Set(['SIGSEGV', 'SIGABRT', 'SIGBUS', 'SIGILL', 'SIGFPE']);

const crashFile = (againFile: string): string => `${againFile}.crashes`;

/** Records the end of a server of one test file, if it crashed. Returns whether it did. */
export function recordCrash(againFile: string | undefined, signal: NodeJS.Signals | null): boolean {
  if (!crashSignals.has(signal)) return false;
  if (againFile !== undefined) appendFileSync(crashFile(againFile), `${Date.now()}\n`);
  return true;
}

/** The crashes that were recorded: moments at which a server was gone. */
export function readCrashes(againFile: string): Outage[] {
  let text = '';
  try {
    text = readFileSync(crashFile(againFile), 'utf8');
  } catch {
    return [];
  }
  const moments = text.split('\n').filter((line) => line !== '');
  return moments.map((moment) => ({ began: Number(moment), ended: Number(moment) }));
}
