import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { lineTime } from './line-time.ts';
import { LogDestination } from './log-destination.ts';
import type { Redact } from './redact.ts';

/** Options of the log. */
export interface LogOptions {
  readonly level: string;
  readonly format: 'json' | 'pretty';
  readonly isColoured: boolean;
  /** The number of the process if several write one log; part of each line. */
  readonly worker?: number | undefined;
  /** Whether several processes write it. */
  readonly isShared: boolean;
  /** Removes secrets from each line. */
  readonly redact: Redact;
  /** Called with a message for users when the log cannot be written. */
  readonly tell: (text: string) => void;
}

const standardOutput = 1;

/** The log of the process, on standard output. */
export async function createLogger(options: LogOptions): Promise<Logger> {
  const { level, format, isColoured, worker, isShared, redact, tell } = options;
  const base = worker === undefined ? null : { worker };
  const written: LoggerOptions = { level, base, timestamp: lineTime, messageKey: 'message' };
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
  if (!isJson) {
    const { pretty } = await import('./pretty.ts');
    return pino(written, through(pretty(isColoured, destination)));
  }
  return pino({ ...written, formatters: { level: (label) => ({ level: label }) } }, through(destination));
}
