import { describe, expect, it } from 'vitest';
import { type LoadOptions, loadSettings } from './load.ts';
import { fileKey, flagsOf, fromText, kindOf, longFlag, type Setting, variablesOf } from './setting.ts';
import { fromTexts } from './setting-input.ts';
import { originOf, type Settings, settingTable } from './settings.ts';

type Source = 'file' | 'variable' | 'flag';
const order: readonly Source[] = ['file', 'variable', 'flag'];
const rows = Object.entries<Setting>(settingTable);

// A new setting is covered when three of these texts, or as many as it has values, are valid for it.
const pool = ['1001', '1002', '1003', 'https://a:1', 'https://b:2', 'https://c:3', 'x: 1', 'y: 2', 'z: 3']
  .concat(['11', '12', '13', 'none', 'explicit', 'json', 'pretty', 'debug', 'error', 'trace', 'vllm', 'true', 'false'])
  .concat(['one', 'two', 'three', 'health a b', 'metrics,inference c d', 'embedding e f g', 'cancel', 'stop-input'])
  .concat(['10.0.0.0/8', 'fd00::/8', '127.0.0.1', '127.0.0.2', '[::1]:53', 'prefix', 'least-load', 'round-robin'])
  .concat(['redis://a', 'rediss://b:1/2', 'redis://:c@d', 'auto', 'off']);

// Settings that are valid only beside another one.
const companions: Readonly<Record<string, readonly string[]>> = {
  tritonCert: ['--triton-key', 'key.pem'],
  tritonKey: ['--triton-cert', 'cert.pem'],
  tlsCert: ['--tls-key', 'key.pem'],
  tlsKey: ['--tls-cert', 'cert.pem'],
  tlsClientCa: ['--tls-cert', 'cert.pem', '--tls-key', 'key.pem'],
  loadModel: ['--model-control-mode', 'explicit'],
  allowImageAddresses: ['--allow-image-urls', 'x'],
  maxLoaded: ['--load-on-demand'],
  dnsServer: ['--triton', 'dns:triton:8001'],
  maxWaiting: ['--max-running', '1'],
  jwtJwks: ['--jwt-issuer', 'x'],
  jwtIssuer: ['--jwt-jwks', 'x'],
  jwtAudience: ['--jwt-jwks', 'x', '--jwt-issuer', 'x'],
  jwtClaimPrefix: ['--jwt-jwks', 'x', '--jwt-issuer', 'x'],
  redis: ['--api-key-file', 'x'],
  workers: ['--triton', 'x'],
};

function inputOf(setting: Setting, text: string): unknown {
  return kindOf(setting.schema) === 'list' ? fromTexts(setting, [[text]]) : fromText(setting.schema, text);
}

/** What the settings should hold; an address without a scheme is one without TLS. */
function valueOf(setting: Setting, text: string): unknown {
  const value: unknown = setting.schema.parse(inputOf(setting, text));
  const isAddress = setting === settingTable.triton && Array.isArray(value);
  return isAddress ? value.map((address: object) => ({ ...address, tls: false })) : value;
}

function samplesOf(setting: Setting): readonly string[] {
  return pool.filter((text) => setting.schema.safeParse(inputOf(setting, text)).success).slice(0, 3);
}

function sourcesOf(name: string, setting: Setting): readonly Source[] {
  return order.filter((source) => {
    if (source === 'file') return setting.file !== false;
    return (source === 'variable' ? variablesOf(name, setting) : flagsOf(name, setting)).length > 0;
  });
}

function give(name: string, setting: Setting, texts: Readonly<Partial<Record<Source, string>>>): LoadOptions {
  const [variable = ''] = variablesOf(name, setting);
  const { file, variable: inVariable, flag } = texts;
  const keys = file === undefined ? {} : { [fileKey(name)]: file };
  return {
    argv: [
      ...(flag === undefined ? [] : [`${longFlag(name)}=${flag}`]),
      ...(companions[name] ?? []),
      ...(name === 'config' ? [] : ['--config', 'conch.json']),
    ],
    environment: inVariable === undefined ? {} : { [variable]: inVariable },
    readFile: () => JSON.stringify(keys),
    homeDirectory: '/home/me',
    platform: 'linux',
  };
}

function isVisible(name: string): boolean {
  return !['help', 'helpAll', 'version'].includes(name);
}

describe('precedence', () => {
  for (const [name, setting] of rows.filter(([key]) => isVisible(key))) {
    const sources = sourcesOf(name, setting);
    const samples = samplesOf(setting);
    it(`${name} takes the strongest of every set of its sources`, () => {
      expect(samples.length, 'add texts to the pool that this setting takes').toBeGreaterThan(0);
      for (let set = 1; set < 2 ** sources.length; set++) {
        const chosen = sources.filter((_, index) => set & (1 << index));
        const texts = Object.fromEntries(
          chosen.map((source, index) => [source, samples[index % samples.length] ?? '']),
        );
        const strongest = chosen.at(-1) ?? 'flag';
        const settings: Settings = loadSettings(give(name, setting, texts));
        expect(Reflect.get(settings, name)).toEqual(valueOf(setting, texts[strongest] ?? ''));
        const where = { file: 'conch.json:1:2', variable: variablesOf(name, setting)[0], flag: longFlag(name) }[
          strongest
        ];
        expect(originOf(settings, name)).toEqual({ source: strongest, where });
      }
    });

    it(`${name} has its default, with that origin, when it is not set`, () => {
      if (name in companions) return;
      const settings = loadSettings({ homeDirectory: '/home/me', platform: 'linux' });
      expect(originOf(settings, name)).toEqual({ source: 'default', where: 'default' });
    });

    it.each(variablesOf(name, setting).slice(1))(`${name} is read from %s where ours is not set`, (variable) => {
      const [first = '', second = first] = samples;
      const { argv = [], ...rest } = give(name, setting, {});
      const [own = ''] = variablesOf(name, setting);
      const alone = loadSettings({ ...rest, argv, environment: { [variable]: first } });
      expect(originOf(alone, name)).toEqual({ source: 'variable', where: variable });
      const both = loadSettings({ ...rest, argv, environment: { [variable]: first, [own]: second } });
      expect(originOf(both, name)).toEqual({ source: 'variable', where: own });
      expect(Reflect.get(both, name)).toEqual(valueOf(setting, second));
    });

    it.each(flagsOf(name, setting))(`${name} is set by %s`, (flag) => {
      const [text = ''] = samples;
      const boolean = kindOf(setting.schema) === 'boolean';
      const { argv = [], ...rest } = give(name, setting, {});
      const settings = loadSettings({ ...rest, argv: [...argv, flag, ...(boolean ? [] : [text])] });
      expect(Reflect.get(settings, name)).toEqual(boolean ? true : valueOf(setting, text));
      expect(originOf(settings, name)).toEqual({ source: 'flag', where: flag });
    });

    it(`${name} refuses a wrong value from every source, by the name of the source`, () => {
      const wrong =
        setting.secret || setting.path !== undefined || kindOf(setting.schema) === 'list' ? '' : '\u0000 wrong';
      if (setting.schema.safeParse(inputOf(setting, wrong)).success) return;
      const [variable = ''] = variablesOf(name, setting);
      const names = { file: `conch.json:1:2: ${fileKey(name)} `, variable: `${variable} `, flag: `${longFlag(name)} ` };
      for (const source of sources) {
        // An empty variable is one that is not set.
        if (source === 'variable' && wrong === '') continue;
        let message = '';
        try {
          loadSettings(give(name, setting, { [source]: wrong }));
        } catch (error) {
          message = String(error);
        }
        expect(message).toMatch(new RegExp(`^SettingsError: ${names[source]}((must|is) [^\n]*\\.|needs [^\n]*)$`));
      }
    });
  }
});

describe('precedence for one model', () => {
  for (const [name, setting] of rows.filter(([, { perModel }]) => perModel)) {
    const samples = samplesOf(setting);
    it(`${name} takes the strongest of every set of its sources for one model`, () => {
      const key = fileKey(name);
      const [inFile = '', inVariable = inFile, inFlag = inFile] = samples;
      const [variable = ''] = variablesOf(name, setting);
      for (let set = 1; set < 8; set++) {
        const chosen = order.filter((_, index) => set & (1 << index));
        const settings = loadSettings({
          argv: [
            ...(companions[name] ?? []),
            '--config',
            'c.json',
            ...(chosen.includes('flag') ? [longFlag(name), `llama=${inFlag}`] : []),
          ],
          environment: chosen.includes('variable') ? { [variable]: `qwen=${inVariable},llama=${inVariable}` } : {},
          readFile: () => JSON.stringify(chosen.includes('file') ? { models: { llama: { [key]: inFile } } } : {}),
        });
        const strongest = chosen.at(-1) ?? 'flag';
        const text = { file: inFile, variable: inVariable, flag: inFlag }[strongest];
        expect(settings.models['llama']).toEqual({ [name]: valueOf(setting, text) });
        expect(Reflect.get(settings, name)).toBeUndefined();
        expect(originOf(settings, `models.llama.${name}`).source).toBe(strongest);
      }
    });
  }
});
