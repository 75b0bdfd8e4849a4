import { existsSync } from 'node:fs';
import { type Logger, pino } from 'pino';
import { checkFiles } from '../config/check-files.ts';
import { settingsChange } from '../config/settings-change.ts';
import { SettingsError } from '../config/settings-error.ts';
import { checkModelSettings } from './check-model-settings.ts';
import type { LiveSettings } from './live-settings.ts';
import type { SettingsNow, Terminal } from './terminal.ts';
import { watchFile } from './watch-file.ts';

interface TextOptions {
  readonly live: LiveSettings;
  readonly terminal: Pick<Terminal, 'settingsNow'>;
  readonly logger: Pick<Logger, 'level'>;
}

interface ReloadOptions {
  readonly live: LiveSettings;
  readonly terminal: Pick<Terminal, 'settingsNow' | 'onHangUp' | 'stop' | 'worker'>;
  readonly logger: Logger;
  /** Called when changed settings are in effect. */
  readonly onChange: () => Promise<void>;
}

/** Applies the text of a configuration file that was already checked, without logging. */
export function applySettingsText(text: string | undefined, { live, terminal, logger }: TextOptions): void {
  if (text === undefined) return;
  const { settings } = settingsChange(live.current, terminal.settingsNow(text).settings);
  live.replace(settings);
  logger.level = settings.logLevel;
}

/** Reloads the configuration file when it changes and at SIGHUP. A file with errors changes nothing. */
export function followSettings(file: string, options: ReloadOptions): void {
  let last = Promise.resolve();
  const readAgain = (isFirst: boolean): void => {
    last = last
      .then(() => applySettings(file, options, isFirst))
      .catch((error: unknown) => reportError(file, error, options));
  };
  let isFirst = true;
  watchFile(file, {
    signal: options.terminal.stop,
    onChange: () => {
      // The file may have changed between the start and the first check.
      readAgain(isFirst);
      isFirst = false;
    },
  });
  options.terminal.onHangUp(() => readAgain(false));
}

async function applySettings(
  file: string,
  { live, terminal, logger, onChange }: ReloadOptions,
  isFirst: boolean,
): Promise<void> {
  const { settings: read, text } = await validSettings(terminal);
  if (text !== undefined) terminal.worker?.reportSettings(text);
  const { settings, changed, fixed } = settingsChange(live.current, read);
  if (changed.length > 0) {
    live.replace(settings);
    await onChange();
  }
  setLevel(logger, settings.logLevel, () => {
    if (changed.length > 0) logger.info(`${file} was reloaded; changed: ${changed.join(', ')}`);
    else if (!isFirst) logger.info(`${file} was reloaded; no changes to apply`);
  });
  if (fixed.length > 0)
    logger.warn(`${file}: restart Conch to apply the changes of ${fixed.join(', ')}; until then the old values apply`);
}

/** The current settings, checked as at the start. */
async function validSettings({ settingsNow }: ReloadOptions['terminal']): Promise<SettingsNow> {
  const now = settingsNow();
  const problems = await checkFiles(now.settings);
  if (problems.length > 0) throw new SettingsError(problems);
  checkModelSettings(now.settings);
  return now;
}

/** Sets the log level. `say` runs at the more verbose one of the old and the new level. */
function setLevel(logger: Logger, level: string, say: () => void): void {
  const isLouder = (pino.levels.values[level] ?? 0) < logger.levelVal;
  if (isLouder) logger.level = level;
  say();
  logger.level = level;
}

function reportError(file: string, error: unknown, { logger }: ReloadOptions): void {
  const unchanged = 'the settings are unchanged';
  if (!existsSync(file)) logger.warn(`${file} does not exist any more; ${unchanged}`);
  else if (error instanceof SettingsError)
    for (const problem of error.problems) logger.error(`${unchanged}: ${problem}`);
  else logger.error({ err: error }, `${file} could not be reloaded; ${unchanged}`);
}
