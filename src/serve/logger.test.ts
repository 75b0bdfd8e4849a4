import { expect, it } from 'vitest';
import { loadSettings } from '../config/load.ts';
import { LiveSettings } from './live-settings.ts';
import { liveRedactor } from './logger.ts';

const withKey = (key: string) => loadSettings({ argv: ['--api-key', key], environment: {} });

it('takes out the secrets of new settings, and still those of the old ones', () => {
  const live = new LiveSettings(withKey('first-key'));
  const redact = liveRedactor(live, ['collector-token']);
  const line = 'first-key second-key collector-token';
  expect(redact(line)).toBe('[redacted] second-key [redacted]');
  live.replace(withKey('second-key'));
  expect(redact(line)).toBe('[redacted] [redacted] [redacted]');
});
