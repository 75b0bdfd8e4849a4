import { type Logger, type LoggerOptions, pino } from 'pino';
import { pretty } from './pretty.ts';

/** How the log is written. */
export interface LogOptions {
  readonly level: string;
  readonly format: 'json' | 'pretty';
  readonly isColoured: boolean;
}

/** Lines are written together, at the latest after this time: one system call per line costs more than the line. */
const batched = { minLength: 4096, periodicFlush: 100, sync: false };

/** The log of the process, on standard output. */
export function createLogger({ level, format, isColoured }: LogOptions): Logger {
  const options: LoggerOptions = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, messageKey: 'message' };
  if (format === 'json')
    return pino({ ...options, formatters: { level: (label) => ({ level: label }) } }, pino.destination(batched));
  return pino(options, pretty(isColoured));
}
