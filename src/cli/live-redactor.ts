import { secretTexts } from '../config/secret-texts.ts';
import { type Redact, redactor } from '../telemetry/redact.ts';
import type { LiveSettings } from './live-settings.ts';

/** Takes the secrets of the settings in effect, and these, out of the log. */
export function liveRedactor(live: Pick<LiveSettings, 'current'>, others: readonly string[]): Redact {
  let settings = live.current;
  let redact = redactor([...secretTexts(settings), ...others]);
  return (line) => {
    if (settings !== live.current) {
      settings = live.current;
      redact = redactor([...secretTexts(settings), ...others]);
    }
    return redact(line);
  };
}
