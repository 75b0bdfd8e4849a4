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

interface FollowOptions {
  readonly live: LiveSettings;
  readonly terminal: Pick<Terminal, 'settingsNow' | 'onHangUp' | 'stop' | 'worker'>;
  readonly logger: Logger;
  /** Called when other settings are in effect. */
  readonly onChange: () => Promise<void>;
}

/** Takes over what a file with settings held that was found valid before; one that was checked needs no word. */
export function takeOverText(text: string | undefined, { live, terminal, logger }: TextOptions): void {
  if (text === undefined) return;
  const { settings } = settingsChange(live.current, terminal.settingsNow(text).settings);
  live.replace(settings);
  logger.level = settings.logLevel;
}

/** Reads the file with settings again when it changes and at SIGHUP. One with a mistake in it changes nothing. */
export function followSettings(file: string, options: FollowOptions): void {
  let last = Promise.resolve();
  const readAgain = (isFirst: boolean): void => {
    last = last
      .then(() => takeOver(file, options, isFirst))
      .catch((error: unknown) => reportFault(file, error, options));
  };
  let isFirst = true;
  watchFile(file, {
    signal: options.terminal.stop,
    onChange: () => {
      // The file may have changed between the start and the first look at it.
      readAgain(isFirst);
      isFirst = false;
    },
  });
  options.terminal.onHangUp(() => readAgain(false));
}

async function takeOver(
  file: string,
  { live, terminal, logger, onChange }: FollowOptions,
  isFirst: boolean,
): Promise<void> {
  const { settings: read, text } = await validSettings(terminal);
  if (text !== undefined) terminal.worker?.tookOver(text);
  const { settings, changed, fixed } = settingsChange(live.current, read);
  if (changed.length > 0) {
    live.replace(settings);
    await onChange();
  }
  setLevel(logger, settings.logLevel, () => {
    if (changed.length > 0) logger.info(`${file} was read again; changed: ${changed.join(', ')}`);
    else if (!isFirst) logger.info(`${file} was read again; nothing changed that takes effect`);
  });
  if (fixed.length > 0)
    logger.warn(`${file}: a restart is needed for what changed in ${fixed.join(', ')}; until then the old values hold`);
}

/** The settings as they are given now, checked as at the start. */
async function validSettings({ settingsNow }: FollowOptions['terminal']): Promise<SettingsNow> {
  const now = settingsNow();
  const problems = await checkFiles(now.settings);
  if (problems.length > 0) throw new SettingsError(problems);
  checkModelSettings(now.settings);
  return now;
}

/** Says something under the more talkative of the old level and the new one. */
function setLevel(logger: Logger, level: string, say: () => void): void {
  const isLouder = (pino.levels.values[level] ?? 0) < logger.levelVal;
  if (isLouder) logger.level = level;
  say();
  logger.level = level;
}

function reportFault(file: string, error: unknown, { logger }: FollowOptions): void {
  const kept = 'the settings stay as they were';
  if (!existsSync(file)) logger.warn(`${file} is gone; ${kept}`);
  else if (error instanceof SettingsError) for (const problem of error.problems) logger.error(`${kept}: ${problem}`);
  else logger.error({ err: error }, `${file} could not be read again; ${kept}`);
}
