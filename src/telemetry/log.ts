import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { pretty } from './pretty.ts';
import type { Redact } from './redact.ts';

/** How the log is written. */
export interface LogOptions {
  readonly level: string;
  readonly format: 'json' | 'pretty';
  readonly isColoured: boolean;
  /** The number of the process where several write one log; it is in each line. */
  readonly worker?: number | undefined;
  /** Takes out of each line what is not to be read there. */
  readonly redact: Redact;
}

/** Lines are written together, at the latest after this time: one system call per line costs more than the line. */
const batched = { minLength: 4096, periodicFlush: 100, sync: false };
/** What several processes write to one pipe stays whole up to this size. */
const wholeWrites = { ...batched, minLength: 2048, maxWrite: 4096 };

/** The log of the process, on standard output. */
export function createLogger({ level, format, isColoured, worker, redact }: LogOptions): Logger {
  const base = worker === undefined ? null : { worker };
  const options: LoggerOptions = { level, base, timestamp: pino.stdTimeFunctions.isoTime, messageKey: 'message' };
  const through = (stream: { write(line: string): unknown }): DestinationStream => ({
    write: (line) => {
      stream.write(redact(line));
    },
  });
  if (format === 'json')
    return pino(
      { ...options, formatters: { level: (label) => ({ level: label }) } },
      through(pino.destination(worker === undefined ? batched : wholeWrites)),
    );
  return pino(options, through(pretty(isColoured)));
}
