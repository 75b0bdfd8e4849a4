import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { commands, load, models, problems } from '../../test/support/settings-loading.ts';
import { type Command } from './command.ts';
import { loadSettings, ownFlags, readCommandLine } from './load.ts';
import { setting } from './setting.ts';

function tls(...argv: string[]): readonly boolean[] {
  return load(argv).triton.map((address) => address.tls);
}

describe('loadSettings', () => {
  it('gives the defaults', () => {
    expect({ ...load([]) }).toEqual({
      triton: [],
      tritonTls: false,
      tritonCa: undefined,
      tritonCert: undefined,
      tritonKey: undefined,
      tritonServerName: undefined,
      tritonHeader: {},
      tritonModel: [],
      refreshInterval: 2_000,
      connectTimeout: 5_000,
      keepaliveInterval: 300_000,
      maxMessageSize: 2_147_483_647,
      balance: 'least-load',
      prefixOverload: 2,
      firstTokenTimeout: 300_000,
      idleTimeout: 120_000,
      retries: 2,
      retryBudget: 20,
      breakerFailures: 5,
      breakerBackoff: 1_000,
      ejectionTime: 10_000,
      slowStart: 10_000,
      dnsInterval: 10_000,
      dnsServer: undefined,
      engineCheckInterval: 30_000,
      engineRecovery: 'auto',
      modelRepository: [],
      tritonserver: undefined,
      modelControlMode: 'none',
      loadModel: [],
      tritonserverLogVerboseLevel: 0,
      worldSize: 1,
      dryRun: false,
      model: [],
      lora: [],
      threads: undefined,
      sequences: 4,
      maxQueueSize: 128,
      enableKserveFrontends: false,
      kserveHttpPort: 8000,
      kserveGrpcPort: 8001,
      toolCallParser: undefined,
      toolPrompt: undefined,
      maxToolCallParseBytes: 131_072,
      structuredRetries: 2,
      storeMaxAge: 2_592_000,
      storeMaxSize: 2 ** 30,
      loraSeparator: '_lora_',
      host: '127.0.0.1',
      port: 9000,
      apiKey: [],
      apiKeyFile: undefined,
      jwtJwks: undefined,
      jwtIssuer: undefined,
      jwtAudience: [],
      jwtClaimPrefix: 'conch_',
      redis: undefined,
      openaiRestrictedApi: [],
      requestTimeout: 600_000,
      receiveTimeout: 300_000,
      slowClientTimeout: 60_000,
      coalesce: 0,
      drainDelay: 0,
      drainTimeout: 300_000,
      httpMaxInputSize: 67_108_864,
      httpMaxHeaders: 128,
      httpMaxHeaderSize: 32_768,
      maxJsonDepth: 128,
      maxJsonValues: 2 ** 20,
      maxPromptSize: 6 * 2 ** 20,
      tokenCacheSize: 64 * 2 ** 20,
      guideQuarantine: 600_000,
      maxMessages: 10_000,
      maxTools: 1_024,
      maxStopStrings: 16,
      maxChoices: 1_024,
      allowedOrigins: [],
      tlsCert: undefined,
      tlsKey: undefined,
      tlsClientCa: undefined,
      strictFields: false,
      ui: true,
      workers: 1,
      maxImages: 16,
      maxImageSize: 20 * 2 ** 20,
      maxImagePixels: 2 ** 25,
      allowImageUrls: [],
      allowImageAddresses: [],
      imageTimeout: 10_000,
      tokenizer: undefined,
      chatTemplate: undefined,
      contextLength: undefined,
      contract: undefined,
      engineDir: undefined,
      cancelWith: undefined,
      maxRunning: undefined,
      maxWaiting: undefined,
      loadOnDemand: false,
      maxLoaded: undefined,
      loadTimeout: 600_000,
      unloadTimeout: 60_000,
      defaultMaxTokens: undefined,
      historyTemplate: undefined,
      historyTemplateFile: undefined,
      cacheDir: '/home/me/.cache/conch',
      hfEndpoint: 'https://huggingface.co',
      hfToken: undefined,
      otlpEndpoint: undefined,
      tritonMetricsPort: 0,
      logPrompts: false,
      logLevel: 'info',
      logFormat: 'json',
      config: undefined,
      check: false,
      help: false,
      helpAll: false,
      version: false,
      models: {},
      origins: new Map(),
    });
  });

  it('listens on all addresses only with a Triton server, unless set', () => {
    expect(load(['--triton', 'a']).host).toBe('0.0.0.0');
    expect(load([], { environment: { OPENAI_TRTLLM_TRITON_ENDPOINT: 'http://a:8001' } }).host).toBe('0.0.0.0');
    expect(load(['--triton', 'a', '--host', '[::1]']).host).toBe('::1');
  });

  it('looks pretty on a terminal', () => {
    expect(load([], { stdoutIsTerminal: true }).logFormat).toBe('pretty');
    expect(load(['--log-format=json'], { stdoutIsTerminal: true }).logFormat).toBe('json');
  });

  it.each([
    ['linux', {}, '/home/me/.cache/conch'],
    ['linux', { XDG_CACHE_HOME: '/var/cache' }, '/var/cache/conch'],
    ['linux', { XDG_CACHE_HOME: 'relative' }, '/home/me/.cache/conch'],
    ['darwin', {}, '/home/me/Library/Caches/conch'],
    ['win32', { LOCALAPPDATA: '/home/me/Local' }, '/home/me/Local/conch'],
    ['win32', {}, '/home/me/AppData/Local/conch'],
  ])('caches on %s with %j in %s', (platform, environment, expected) => {
    expect(load([], { platform, environment }).cacheDir).toBe(expected);
  });

  it('speaks TLS where the address, the switch or a certificate says so', () => {
    expect(tls('-t', 'a', '-t', 'https://b')).toEqual([false, true]);
    expect(tls('-t', 'a', '-t', 'http://b', '--triton-tls')).toEqual([true, false]);
    expect(tls('-t', 'a', '--triton-ca', 'ca.pem')).toEqual([true]);
  });

  it('separates lists at commas in an environment variable, and takes the whole list from one source', () => {
    const environment = { CONCH_TRITON: 'a:1, b:2,' };
    expect(load([], { environment }).triton.map(({ host }) => host)).toEqual(['a', 'b']);
    expect(load(['-t', 'c'], { environment }).triton.map(({ host }) => host)).toEqual(['c']);
  });

  it('takes the last of a flag that repeats, under any of its names', () => {
    expect(load(['--port', '1', '-p', '2', '--openai-port=3']).port).toBe(3);
    expect(load(['--strict-fields', '--no-strict-fields']).strictFields).toBe(false);
  });

  it('takes per-model values beside those for all', () => {
    const settings = load(
      ['--tokenizer', './all', '--tokenizer', 'llama=org/name', '--tokenizer', './a=b', '--context-length=llama=4096'],
      { environment: { CONCH_CHAT_TEMPLATE: 'a,b.jinja,llama=l,1.jinja,qwen=~/q.jinja' } },
    );
    expect(settings.tokenizer).toBe('./a=b');
    expect(settings.chatTemplate).toBe('a,b.jinja');
    expect({ ...settings.models }).toEqual({
      llama: { tokenizer: 'org/name', contextLength: 4096, chatTemplate: 'l,1.jinja' },
      qwen: { chatTemplate: '/home/me/q.jinja' },
    });
  });

  it('takes Windows paths and addresses with = for values', () => {
    expect(load(['--tokenizer', String.raw`C:\models\a=b`]).tokenizer).toBe(String.raw`C:\models\a=b`);
    expect(load(['--tokenizer', 'https://hub/?a=b']).tokenizer).toBe('https://hub/?a=b');
    expect(load(['--tokenizer', 'llama:8b=x']).models['llama:8b']).toEqual({ tokenizer: 'x' });
  });

  it('resolves paths in the file from its folder, and keeps names on the hub', () => {
    const text = 'tokenizer: ./t\nchat_template: c.jinja\ntriton_ca: /ca.pem\nmodels: {a: {tokenizer: org/name}}';
    const settings = load(['--config', '/etc/conch/conch.yaml'], { readFile: () => text });
    expect([settings.tokenizer, settings.chatTemplate, settings.tritonCa, settings.models['a']]).toEqual([
      '/etc/conch/t',
      '/etc/conch/c.jinja',
      '/ca.pem',
      { tokenizer: 'org/name' },
    ]);
  });

  it.each([
    ['conch.yaml', './llama'],
    ['../conch.yaml', '../llama'],
    ['etc/conch.yaml', './etc/llama'],
    ['etc/conch/conch.yaml', 'etc/conch/llama'],
  ])('keeps a folder beside %s a folder', (config, expected) => {
    expect(load(['--config', config], { readFile: () => 'tokenizer: ./llama' }).tokenizer).toBe(expected);
  });

  it('finds its file by the environment variable too, and in the home folder', () => {
    const read: string[] = [];
    const readFile = (path: string) => {
      read.push(path);
      return 'port: 1';
    };
    expect(load([], { environment: { CONCH_CONFIG: '~/conch.yaml' }, readFile }).port).toBe(1);
    expect(read).toEqual(['/home/me/conch.yaml']);
  });
});

describe('readCommandLine', () => {
  it('distinguishes help, version, check and run', () => {
    const read = (...argv: string[]) => {
      const { action } = readCommandLine({ argv, commands });
      return action;
    };
    expect(read()).toBe('run');
    expect(read('--check')).toBe('check');
    expect(read('-V', '--port', 'x')).toBe('version');
    expect(readCommandLine({ argv: ['--help', '--port', 'x'], commands })).toEqual({
      action: 'help',
      command: undefined,
      isFull: false,
    });
    expect(readCommandLine({ argv: ['help', 'all'], commands })).toEqual({
      action: 'help',
      command: undefined,
      isFull: true,
    });
    expect(readCommandLine({ argv: ['help', 'models'], commands })).toEqual({
      action: 'help',
      command: 'models',
      isFull: false,
    });
    expect(() => loadSettings({ argv: ['--help'] })).toThrow('--help loads no settings. Remove it.');
  });

  it("gives a command's own flags their types", () => {
    const invocation = readCommandLine({ argv: ['models', '--json', '-t', 'a'], commands });
    if (!('own' in invocation)) throw new Error('a command was expected');
    const own: { readonly json: boolean } = ownFlags(invocation, models);
    expect([invocation.command, own, invocation.settings.triton.length]).toEqual(['models', { json: true }, 1]);
  });

  it('requires an own flag without a default', () => {
    const text = setting(z.string(), 'Text.');
    const generate: Command = { name: 'generate', summary: 'Generate', groups: [], flags: { inputText: text } };
    expect(problems(['generate'], { commands: [generate] })).toEqual(['--input-text is missing. Set it.']);
  });
});
