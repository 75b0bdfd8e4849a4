import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { LogDestination } from './log-destination.ts';
import { pretty } from './pretty.ts';
import type { Redact } from './redact.ts';

/** How the log is written. */
export interface LogOptions {
  readonly level: string;
  readonly format: 'json' | 'pretty';
  readonly isColoured: boolean;
  /** The number of the process where several write one log; it is in each line. */
  readonly worker?: number | undefined;
  /** Whether several processes write it. */
  readonly isShared: boolean;
  /** Takes out of each line what is not to be read there. */
  readonly redact: Redact;
  /** Is told, in words for people, when the log cannot be written. */
  readonly tell: (text: string) => void;
}

const standardOutput = 1;

/** The log of the process, on standard output. */
export function createLogger({ level, format, isColoured, worker, isShared, redact, tell }: LogOptions): Logger {
  const base = worker === undefined ? null : { worker };
  const options: LoggerOptions = { level, base, timestamp: pino.stdTimeFunctions.isoTime, messageKey: 'message' };
  const through = (stream: { write(line: string): unknown }): DestinationStream => ({
    write: (line) => {
      stream.write(redact(line));
    },
  });
  const isJson = format === 'json';
  const destination = new LogDestination({
    to: standardOutput,
    isBatched: isJson,
    isShared,
    tell,
  });
  if (!isJson) return pino(options, through(pretty(isColoured, destination)));
  return pino({ ...options, formatters: { level: (label) => ({ level: label }) } }, through(destination));
}
