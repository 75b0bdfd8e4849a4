import type { Logger } from 'pino';
import { secretTexts } from '../config/secret-texts.ts';
import { createLogger } from '../telemetry/log.ts';
import { type Redact, redactor } from '../telemetry/redact.ts';
import type { LiveSettings } from './live-settings.ts';
import type { Terminal } from './terminal.ts';

/** The loggers of this process. */
export interface Loggers {
  readonly logger: Logger;
  /** For lines that are written once for all workers: silent in all of them but the leader. */
  readonly leaderLogger: Logger;
  readonly isQuiet: boolean;
}

/** Opens the log, from which secrets are redacted. */
export async function openLoggers(
  live: LiveSettings,
  terminal: Terminal,
  secrets: readonly string[],
): Promise<Loggers> {
  const { logLevel: level, logFormat: format } = live.current;
  const { worker } = terminal;
  const logger = await createLogger({
    level,
    format,
    isColoured: terminal.isColoured,
    worker: worker?.number,
    isShared: live.current.workers > 1,
    redact: liveRedactor(live, secrets),
    tell: (text) => terminal.err(text),
  });
  const isQuiet = worker?.isLeader === false;
  return { logger, leaderLogger: isQuiet ? logger.child({}, { level: 'silent' }) : logger, isQuiet };
}

/** Redacts the secrets of the current and all earlier settings, and these, from the log. */
export function liveRedactor(live: Pick<LiveSettings, 'current'>, others: readonly string[]): Redact {
  const secrets = new Set(others);
  let settings: LiveSettings['current'] | undefined;
  let redact: Redact;
  return (line) => {
    if (settings !== live.current) {
      settings = live.current;
      for (const secret of secretTexts(settings)) secrets.add(secret);
      redact = redactor([...secrets]);
    }
    return redact(line);
  };
}
