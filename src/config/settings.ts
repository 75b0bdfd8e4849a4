import { z } from 'zod';
import { balanceSettings, engineSettings } from './balance-settings.ts';
import { imageSettings } from './image-settings.ts';
import { keySettings } from './key-settings.ts';
import { limitSettings } from './limit-settings.ts';
import { localSettings } from './local-settings.ts';
import { modelLoadSettings } from './model-load-settings.ts';
import { type ModelSettings, perModelSettings } from './model-settings.ts';
import { defaultCacheDirectory } from './paths.ts';
import { restrictedApis } from './restricted-apis.ts';
import { inGroup, type Surroundings, setting, type Values } from './setting.ts';
import { telemetrySettings } from './telemetry-settings.ts';
import { timeoutSettings } from './timeout-settings.ts';
import { type TritonAddress, tritonAddress } from './triton-address.ts';
import {
  age,
  byteSize,
  duration,
  listenHost,
  logLevel,
  metadata,
  storePlace,
  text,
  webAddress,
} from './value-types.ts';

const mebibyte = 2 ** 20;
const largestMessage = 2 ** 31 - 1;
const largestStore = 2 ** 50;

/** Every setting, once: its flag, its variable, its key in the file, its help and its row in the docs come from here. */
export const settingTable = {
  ...inGroup('servers', {
    triton: setting(
      z.array(tritonAddress).default([]),
      'gRPC address of a Triton server: host:port or [v6]:port, or dns:name:port for every address of a name. ' +
        'http:// means without TLS, https:// and grpcs:// mean with TLS; the port is 8001 when left out.',
      {
        short: 't',
        aliases: ['triton-endpoint'],
        otherVariables: ['OPENAI_TRTLLM_TRITON_ENDPOINT'],
        placeholder: 'ADDRESS',
      },
    ),
    tritonTls: setting(
      z.boolean(),
      'Speak TLS to the Triton servers whose address says neither http:// nor https://.',
      {
        defaultText: 'on with --triton-ca, -cert, -key or -server-name',
        derive: ({ given }) => ['tritonCa', 'tritonCert', 'tritonKey', 'tritonServerName'].some(given),
      },
    ),
    tritonCa: setting(text.optional(), 'PEM file of the authorities that may vouch for a Triton server.', {
      path: 'file',
      defaultText: "Node's own",
    }),
    tritonCert: setting(text.optional(), 'PEM file of the certificate that Conch shows to Triton.', { path: 'file' }),
    tritonKey: setting(text.optional(), 'PEM file of the private key of that certificate.', { path: 'file' }),
    tritonServerName: setting(
      text.optional(),
      "Name that the certificate of a Triton server must have, instead of its address's.",
      { placeholder: 'NAME' },
    ),
    tritonHeader: setting(metadata.prefault([]), 'Header for every call to Triton, as name: value or name=value.', {
      placeholder: 'HEADER',
      secret: true,
    }),
    refreshInterval: setting(
      duration({ minimum: 100 }).prefault('2s'),
      'How often Conch looks for models that appeared or went.',
      { live: true },
    ),
    connectTimeout: setting(
      duration({ minimum: 1 }).prefault('5s'),
      'How long a connection to Triton may take to open.',
    ),
    keepaliveInterval: setting(
      duration({ minimum: 0 }).prefault('300s'),
      'How often a connection to Triton is tried with a ping while calls run on it; 0 for never. Triton closes connections that ping faster than it allows.',
    ),
    maxMessageSize: setting(
      byteSize({ maximum: largestMessage }).prefault(largestMessage),
      'Largest message from Triton that is read.',
    ),
  }),
  ...balanceSettings,
  ...engineSettings,
  ...localSettings,
  ...inGroup('api', {
    host: setting(listenHost, 'Address to listen on.', {
      short: 'H',
      otherVariables: ['OPENAI_TRTLLM_HOST'],
      placeholder: 'ADDRESS',
      defaultText: '0.0.0.0 with --triton or --model-repository, 127.0.0.1 without',
      derive: defaultHost,
    }),
    port: setting(z.number().int().min(0).max(65535).default(9000), 'Port of the OpenAI API; 0 for any free one.', {
      short: 'p',
      aliases: ['openai-port'],
      otherVariables: ['OPENAI_TRTLLM_PORT'],
    }),
    openaiRestrictedApi: setting(
      restrictedApis.default([]),
      'Header and value that requests to some APIs must bring: inference, embedding, model-repository, metrics and health, with commas between them. ' +
        'Three arguments or one text; in the variable, ; or a new line parts several.',
      { placeholder: ['APIS', 'HEADER', 'VALUE'], secret: true },
    ),
    requestTimeout: setting(
      duration({ minimum: 0 }).prefault('10m'),
      'How long a request may take in all, after which it ends with a 504; 0 for as long as it wants.',
      { live: true },
    ),
    httpMaxInputSize: setting(byteSize({ maximum: largestMessage }).prefault(64 * mebibyte), 'Largest request body.'),
    store: setting(
      storePlace.optional(),
      'Where responses are kept for previous_response_id: sqlite:PATH, postgres://USER:PASS@HOST/DB, or none.',
      { placeholder: 'PLACE', secret: true, defaultText: 'responses.sqlite in the cache folder' },
    ),
    storeMaxAge: setting(age.prefault('30d'), 'How long a response is kept, such as 12h or 30d.'),
    storeMaxSize: setting(
      byteSize({ maximum: largestStore }).prefault('1GiB'),
      'How much is kept in all; the oldest responses go first.',
    ),
    strictFields: setting(z.boolean().default(false), 'Refuse a request that has a field which nobody knows.', {
      live: true,
    }),
    ui: setting(z.boolean().default(true), 'Serve the page with playground and dashboard at /.'),
    workers: setting(
      z.number().int().min(1).max(256).default(1),
      'Processes that answer requests on the same ports. More than one needs models on a Triton server.',
    ),
  }),
  ...keySettings,
  ...limitSettings,
  ...timeoutSettings,
  ...imageSettings,
  ...perModelSettings,
  ...modelLoadSettings,
  ...inGroup('models', {
    defaultMaxTokens: setting(
      z.number().int().min(1).optional(),
      'Most tokens of an answer whose request does not say.',
      { live: true, defaultText: 'the room that the context has' },
    ),
    maxToolCallParseBytes: setting(
      z.number().int().min(1).default(131_072),
      'Most text of a tool call that is held back until it is known what it is; beyond, it is given as text.',
      { live: true },
    ),
    structuredRetries: setting(
      z.number().int().min(0).max(20).default(2),
      'How often a response without the structure that was asked for is requested again, where the backend cannot guide it or breaks its guide; 0 rejects requests that the backend cannot guide.',
      { live: true },
    ),
    historyTemplate: setting(text.optional(), 'Liquid template of the prompt, for models without a chat template.', {
      live: true,
      otherVariables: ['OPENAI_TRTLLM_HISTORY_TEMPLATE'],
    }),
    historyTemplateFile: setting(text.optional(), 'File with such a Liquid template.', {
      live: true,
      otherVariables: ['OPENAI_TRTLLM_HISTORY_TEMPLATE_FILE'],
      path: 'file',
    }),
    cacheDir: setting(text, 'Folder for what Conch downloads.', {
      variable: 'CONCH_CACHE',
      otherVariables: ['CONCH_CACHE_DIR'],
      placeholder: 'DIR',
      defaultText: "conch in the user's cache folder",
      derive: defaultCacheDirectory,
    }),
    hfEndpoint: setting(
      webAddress.prefault('https://huggingface.co'),
      'Hugging Face hub that tokenizers are fetched from.',
      { live: true, otherVariables: ['HF_ENDPOINT'], placeholder: 'URL' },
    ),
    hfToken: setting(text.optional(), 'Token for that hub. It has no flag: other users see the flags of a process.', {
      live: true,
      flag: false,
      otherVariables: ['HF_TOKEN', 'HUGGING_FACE_HUB_TOKEN'],
      secret: true,
    }),
  }),
  ...telemetrySettings,
  ...inGroup('logs', {
    logLevel: setting(
      logLevel.prefault('info'),
      'How much is logged: trace, debug, info, warning, error or critical.',
      { live: true, aliases: ['uvicorn-log-level'], placeholder: 'LEVEL' },
    ),
    logFormat: setting(z.enum(['json', 'pretty']), 'How a log line looks.', {
      defaultText: 'pretty on a terminal, json elsewhere',
      derive: ({ stdoutIsTerminal }) => (stdoutIsTerminal ? 'pretty' : 'json'),
    }),
  }),
  config: setting(text.optional(), 'YAML or JSON file with settings.', { file: false, path: 'file' }),
  check: setting(z.boolean().default(false), 'Check the settings and the files that they name, and exit.', {
    variable: false,
    file: false,
  }),
  help: setting(z.boolean().default(false), 'Show this help.', { short: 'h', variable: false, file: false }),
  version: setting(z.boolean().default(false), 'Show the version.', { short: 'V', variable: false, file: false }),
};

export type SettingName = keyof typeof settingTable;

/** Where a value came from; `where` names the flag, the variable or the place in the file. */
export interface Origin {
  readonly source: 'default' | 'file' | 'variable' | 'flag';
  readonly where: string;
}

/** The settings in effect. Durations are in milliseconds, sizes in bytes. */
export type Settings = Omit<Values<typeof settingTable>, 'triton'> & {
  readonly triton: readonly TritonAddress[];
  /** What is set for single models, by served name; `modelSettings` adds what holds for all. */
  readonly models: Readonly<Record<string, ModelSettings>>;
  /** Where each value that is not a default came from, under `port` or `models.llama.tokenizer`. */
  readonly origins: ReadonlyMap<string, Origin>;
};

/** Where the value of a setting came from, or of a model's: `originOf(settings, 'models.llama.tokenizer')`. */
export function originOf({ origins }: Pick<Settings, 'origins'>, key: string): Origin {
  return origins.get(key) ?? { source: 'default', where: 'default' };
}

/** Alone, Conch is for this machine; in front of a Triton it is for others. */
function defaultHost({ given }: Surroundings): string {
  return given('triton') || given('modelRepository') ? '0.0.0.0' : '127.0.0.1';
}
