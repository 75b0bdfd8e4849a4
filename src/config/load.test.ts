import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Command, defaultCommand } from './command.ts';
import { type LoadOptions, loadSettings, ownFlags, readCommandLine } from './load.ts';
import { setting } from './setting.ts';
import { SettingsError } from './settings-error.ts';

const json = { json: setting(z.boolean().default(false), 'As JSON.') };
const models: Command<typeof json> = { name: 'models', summary: 'List', groups: ['servers', 'models'], flags: json };
const commands: NonNullable<LoadOptions['commands']> = [defaultCommand, models];

function load(argv: readonly string[], options: LoadOptions = {}) {
  return loadSettings({ homeDirectory: '/home/me', platform: 'linux', ...options, argv });
}

function tls(...argv: string[]): readonly boolean[] {
  return load(argv).triton.map((address) => address.tls);
}

function problems(argv: readonly string[], options: LoadOptions = {}): readonly string[] {
  try {
    readCommandLine({ commands, ...options, argv });
  } catch (error) {
    if (error instanceof SettingsError && error.exitCode === 2) return error.problems;
    throw error;
  }
  return [];
}

function withFile(text: string, argv: readonly string[] = []): readonly string[] {
  return problems(['--config', 'conch.yaml', ...argv], { readFile: () => text });
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
      version: false,
      models: {},
      origins: new Map(),
    });
  });

  it('listens for others only in front of a Triton, unless told', () => {
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

  it('takes lists from commas in a variable, and the whole list from the stronger source', () => {
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

  it('reads paths of the file from its own folder, and leaves names of the hub alone', () => {
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

  it('finds its file through the variable too, and in the home folder', () => {
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
  it('tells apart what was asked for', () => {
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
    });
    expect(readCommandLine({ argv: ['help', 'models'], commands })).toEqual({ action: 'help', command: 'models' });
    expect(() => loadSettings({ argv: ['--help'] })).toThrow('--help leaves no settings to load.');
  });

  it("gives a command's own flags their types", () => {
    const invocation = readCommandLine({ argv: ['models', '--json', '-t', 'a'], commands });
    if (!('own' in invocation)) throw new Error('a command was expected');
    const own: { readonly json: boolean } = ownFlags(invocation, models);
    expect([invocation.command, own, invocation.settings.triton.length]).toEqual(['models', { json: true }, 1]);
  });

  it('asks for an own flag that must be given', () => {
    const text = setting(z.string(), 'Text.');
    const generate: Command = { name: 'generate', summary: 'Generate', groups: [], flags: { inputText: text } };
    expect(problems(['generate'], { commands: [generate] })).toEqual(['--input-text must be given.']);
  });
});

describe('mistakes', () => {
  it('are told all at once, each by its place', () => {
    const environment = { CONCH_PROT: '1', CONCH_LOG_FORMAT: 'xml' };
    const text =
      'port: high\nprot: 1\nmodels:\n  llama:\n    defaults: {temperature: 3, top_q: 1}\n    embedding: {pooling: max}\n';
    expect(
      problems(['--config', 'conch.yaml', '--prot', '1', '--port', '70000'], { environment, readFile: () => text }),
    ).toEqual([
      '--prot is not a flag. Did you mean --port?',
      'conch.yaml:2:1: prot is not a key. Did you mean port?',
      'CONCH_PROT is not a variable of Conch. Did you mean CONCH_PORT?',
      'conch.yaml:1:1: port must be a number, not "high".',
      'conch.yaml:5:16: models.llama.defaults.temperature must be at most 2, not 3.',
      'conch.yaml:5:32: models.llama.defaults.top_q is not a key. Did you mean top_p?',
      'conch.yaml:6:17: models.llama.embedding.pooling must be one of mean, cls, last, not "max".',
      'CONCH_LOG_FORMAT must be one of json, pretty, not "xml".',
      '--port must be at most 65535, not 70000.',
    ]);
  });

  it.each([
    [['--port', '1.5'], ['--port must be a whole number, not 1.5.']],
    [['--port', '-1'], ['--port must be at least 0, not -1.']],
    [['--port', ''], ['--port must be a number.']],
    [['--strict-fields=maybe'], ['--strict-fields must be true or false, not "maybe".']],
    [['--context-length', 'llama=many'], ['--context-length llama=… must be a number, not "many".']],
    [['--tokenizer', 'llama='], ['--tokenizer llama=… must not be empty.']],
    [['--backend', 'onnx'], ['--backend must be one of vllm, tensorrtllm, trtllm, trtllm-tokens, llmapi, not "onnx".']],
    [['-t', 'http://me:word@a'], ['-t must not hold a user or a password: --triton-header sends credentials.']],
    [
      ['--refresh-interval', 'soon'],
      ['--refresh-interval must be a duration such as 500ms, 2s or 5m, or a number of seconds, not "soon".'],
    ],
    [['--load-model', 'a'], ['--load-model needs --model-control-mode explicit.']],
    [['--allow-image-addresses', '::1'], ['--allow-image-addresses needs --allow-image-urls.']],
    [
      ['--model-control-mode', 'explicit', '--load-model', 'a', '--load-model', '*'],
      ['--load-model: * stands for all models, so it stands alone.'],
    ],
    [['--max-waiting', '5'], ['--max-waiting needs --max-running.']],
    [['--max-waiting', 'a=5'], ['--max-waiting: models.a.max_waiting needs max_running.']],
    [['--workers', '0'], ['--workers must be at least 1, not 0.']],
    [['--kserve-grpc-port', '8000'], ['--kserve-grpc-port: the two KServe frontends need a port each.']],
    [['-t', 'a', '-t', 'a:8001'], ['-t: a:8001 is given twice.']],
    [['--triton-cert', 'c'], ['--triton-cert: a certificate and its key go together, and triton_key is missing.']],
    [['--tls-cert', 'c'], ['--tls-cert: a certificate and its key go together, and --tls-key is missing.']],
    [['--tls-key', 'c'], ['--tls-key: a certificate and its key go together, and --tls-cert is missing.']],
    [['--tls-client-ca', 'c'], ['--tls-client-ca needs --tls-cert and --tls-key.']],
    [['--triton-key', 'c'], ['--triton-key: a certificate and its key go together, and triton_cert is missing.']],
    [['-t', 'http://a', '--triton-ca', 'c'], ['--triton-ca has no effect: no Triton server is spoken to with TLS.']],
    [
      ['--history-template', 'a', '--history-template-file', 'b'],
      ['history_template (--history-template) and history_template_file (--history-template-file) exclude each other.'],
    ],
  ])('in %j are named', (argv, expected) => {
    expect(problems(argv)).toEqual(expected);
  });

  it('in aliases are named', () => {
    expect(withFile('models:\n  a: {serves: a}\n  b: {serves: c}\n  c: {serves: d}\n')).toEqual([
      'conch.yaml:2:7: models.a.serves names the model itself.',
      'conch.yaml:3:7: models.b.serves must name a model of the server, and c is an alias too.',
    ]);
  });

  it('in the limits of another name of a model are named', () => {
    expect(withFile('max_running: 2\nmodels:\n  a: {serves: b, max_running: 1}\n  c: {max_waiting: 1}\n')).toEqual([
      'conch.yaml:3:18: models.a is another name of b; the limit belongs under models.b.',
    ]);
  });

  it('in the name of the file are named', () => {
    expect(problems(['--config', 'no/such/file.yaml'])).toEqual([
      '--config: no/such/file.yaml cannot be read: there is no such file.',
    ]);
    expect(problems(['--config', '.'])).toEqual(['--config: . cannot be read: it is a folder.']);
  });
});

describe('secrets', () => {
  const secret = 'pearl-0815';

  it('are in no error line', () => {
    const lines = [
      ...problems(['--api-kye', secret, '--api-kye2=secret', `--triton-header=${secret}`, '--port', 'x']),
      ...problems([], { environment: { CONCH_TRITON_HEADER: `a b: ${secret}`, CONCH_API_KYE: secret } }),
      ...withFile(`api_key: [sha256:${secret}]`),
      ...withFile(`api_key: {${secret}: 1}`),
      ...withFile(`api_kye: ${secret}`),
      ...withFile(`api_key: *${secret}`),
      ...withFile(`api_key: "${secret}\n`),
      ...withFile(`api_key: "\\q${secret}"`),
      ...withFile(`api_key: a: ${secret}`),
    ];
    expect(lines).toEqual([
      '--api-kye is not a flag. Did you mean --api-key?',
      '--api-kye2 is not a flag. Did you mean --api-key?',
      '--triton-header must be written name: value or name=value.',
      '--port must be a number, not "x".',
      'CONCH_API_KYE is not a variable of Conch. Did you mean CONCH_API_KEY?',
      'CONCH_TRITON_HEADER must have a name of letters, digits and - _ . only.',
      'conch.yaml:1:11: api_key must be a key, or the hash of one: sha256: and 64 hexadecimal digits.',
      'conch.yaml:1:1: api_key must be text: put it in quotes.',
      'conch.yaml:1:1: api_kye is not a key. Did you mean api_key?',
      'conch.yaml:1:10: a value that begins with * names an anchor, and there is none; put it in quotes.',
      'conch.yaml:2:1: a character is missing here, such as a closing bracket, quote or comma.',
      'conch.yaml:1:11: this text has a \\ that means nothing; write \\\\, or put the text in single quotes.',
      'conch.yaml:1:10: a key and a value are not expected here; a value that holds ": " is put in quotes.',
    ]);
  });

  it('are not printed with the settings', () => {
    const restricted = ['--openai-restricted-api', 'health', 'x-key', secret];
    const settings = load(['--api-key', secret, '--triton-header', `x: ${secret}`, '-p', '1', ...restricted], {
      environment: { HF_TOKEN: secret },
    });
    expect([settings.apiKey, settings.tritonHeader, settings.hfToken]).toEqual([[secret], { x: secret }, secret]);
    expect(settings.openaiRestrictedApi).toEqual([{ apis: ['health'], header: 'x-key', value: secret }]);
    for (const printed of [JSON.stringify({ settings }), inspect(settings)]) {
      expect(printed).not.toContain(secret);
      expect(printed).toContain('[secret]');
    }
    expect(JSON.parse(JSON.stringify(settings))).toMatchObject({ port: { value: 1, from: '-p' } });
  });
});
