import type { Logger } from 'pino';
import { createLogger } from '../telemetry/log.ts';
import { liveRedactor } from './live-redactor.ts';
import type { LiveSettings } from './live-settings.ts';
import type { Terminal } from './terminal.ts';

/** How this process speaks. */
export interface Voice {
  readonly logger: Logger;
  /** For what there is to say once for all workers: silent in all of them but one. */
  readonly speaker: Logger;
  readonly isQuiet: boolean;
}

/** Opens the log, in which none of the secrets stands. */
export async function openVoice(live: LiveSettings, terminal: Terminal, secrets: readonly string[]): Promise<Voice> {
  const { logLevel: level, logFormat: format } = live.current;
  const { seat } = terminal;
  const logger = await createLogger({
    level,
    format,
    isColoured: terminal.isColoured,
    worker: seat?.number,
    isShared: live.current.workers > 1,
    redact: liveRedactor(live, secrets),
    tell: (text) => terminal.err(text),
  });
  const isQuiet = seat?.isSpeaker === false;
  return { logger, speaker: isQuiet ? logger.child({}, { level: 'silent' }) : logger, isQuiet };
}
