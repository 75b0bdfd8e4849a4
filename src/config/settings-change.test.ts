import { describe, expect, it } from 'vitest';
import { loadSettings } from './load.ts';
import { settingsChange } from './settings-change.ts';

function load(text: string, ...argv: string[]) {
  return loadSettings({ argv: ['--config', 'conch.yaml', ...argv], readFile: () => text });
}

describe('settingsChange', () => {
  it('takes over what may change while it runs, and names the rest', () => {
    const running = load('port: 1\nlog_level: info\nmodels: {a: {serves: b}, c: {context_length: 5}}');
    const read = load('port: 2\nlog_level: debug\nmodels: {a: {serves: d}, c: {context_length: 5}, e: {}}');
    const { settings, changed, fixed } = settingsChange(running, read);
    expect({ changed, fixed }).toEqual({ changed: ['log_level', 'models.a'], fixed: ['port'] });
    expect([settings.port, settings.logLevel, settings.models['a']]).toEqual([1, 'debug', { serves: 'd' }]);
  });

  it('finds nothing where nothing changed, and nothing in what a flag overrides', () => {
    const text =
      'triton: [a:1]\ntriton_header: {x: y}\nallow_image_urls: a.example\nmodels: {a: {defaults: {stop: [x]}}}';
    expect(settingsChange(load(text), load(text))).toMatchObject({ changed: [], fixed: [] });
    const flags = ['--port', '3', '--log-level', 'debug'];
    const overridden = settingsChange(load('', ...flags), load('port: 4\nlog_level: error', ...flags));
    expect(overridden).toMatchObject({ changed: [], fixed: [] });
  });

  it('names what needs a restart again and again, until it is as it was', () => {
    const running = load('port: 1\nlog_level: info');
    const { settings, fixed } = settingsChange(running, load('log_level: debug'));
    expect(fixed).toEqual(['port']);
    expect(settingsChange(settings, load('log_level: error')).fixed).toEqual(['port']);
    expect(settingsChange(settings, load('port: 1\nlog_level: error')).fixed).toEqual([]);
  });

  it('does not name a default that follows another setting', () => {
    expect(settingsChange(load(''), load('triton_ca: ./ca.pem\ntriton: [https://a:1]')).fixed).toEqual([
      'triton',
      'triton_ca',
    ]);
  });

  it('goes back to the default when a key is gone, and keeps secrets to itself', () => {
    const { settings, changed } = settingsChange(load('structured_retries: 7\napi_key: hush'), load('api_key: hush'));
    expect([settings.structuredRetries, changed]).toEqual([2, ['structured_retries']]);
    expect(JSON.stringify(settings)).not.toContain('hush');
  });
});
