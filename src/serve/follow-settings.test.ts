import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadSettings } from '../config/load.ts';
import { applySettingsText, followSettings } from './follow-settings.ts';
import { LiveSettings } from './live-settings.ts';
import type { WorkerContext } from './workers/worker-context.ts';

const settingsOf = (text: string) =>
  loadSettings({ argv: ['--config', import.meta.filename], environment: {}, readFile: () => text });
const terminal = { settingsNow: (text = '') => ({ settings: settingsOf(text), text }) };
const first = 'api_key: [old]\nport: 1\nlog_level: info\n';
const later = 'api_key: [new]\nport: 2\nlog_level: warn\n';

describe('applySettingsText', () => {
  it('begins with what others took over, but for what needs a restart', () => {
    const live = new LiveSettings(settingsOf(first));
    const logger = pino({ level: 'info' });
    applySettingsText(undefined, { live, terminal, logger });
    expect(live.current.apiKey).toEqual(['old']);
    applySettingsText(later, { live, terminal, logger });
    expect([live.current.apiKey, live.current.port, logger.level]).toEqual([['new'], 1, 'warn']);
  });
});

describe('followSettings', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'conch-follow-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('tells which texts were taken over, and not of those with mistakes', async () => {
    const file = join(folder, 'conch.yaml');
    writeFileSync(file, first);
    const reported = new Set<string>();
    const errors: string[] = [];
    const logger = pino({ level: 'error' }, { write: (line: string) => errors.push(line) });
    const stop = new AbortController();
    let hangUp = (): void => undefined;
    let text = later;
    followSettings(file, {
      live: new LiveSettings(settingsOf(first)),
      terminal: {
        settingsNow: () => terminal.settingsNow(text),
        onHangUp: (listener) => (hangUp = listener),
        stop: stop.signal,
        worker: { reportSettings: (taken: string) => reported.add(taken) } as unknown as WorkerContext,
      },
      logger,
      onChange: async () => undefined,
    });
    hangUp();
    await expect.poll(() => [...reported]).toEqual([later]);
    text = 'port: x';
    hangUp();
    await expect.poll(() => errors.length).toBeGreaterThan(0);
    stop.abort();
    expect([...reported]).toEqual([later]);
  });
});
