import { secretTexts } from '../config/secret-texts.ts';
import { type Redact, redactor } from '../telemetry/redact.ts';
import type { LiveSettings } from './live-settings.ts';

/** Takes the secrets of the settings in effect, and these, out of the log; those that were in effect before too. */
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
