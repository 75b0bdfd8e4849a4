import { pino, type Logger, type LoggerOptions } from 'pino';
import { pretty } from './pretty.ts';

/** How the log is written. */
export interface LogOptions {
  readonly level: string;
  readonly format: 'json' | 'pretty';
  readonly isColoured: boolean;
}

/** The log of the process, on standard output. */
export function createLogger({ level, format, isColoured }: LogOptions): Logger {
  const options: LoggerOptions = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, messageKey: 'message' };
  if (format === 'json') return pino({ ...options, formatters: { level: (label) => ({ level: label }) } });
  return pino(options, pretty(isColoured));
}
