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
import { type DefaultContext, inGroup, setting, type Values } from './setting.ts';
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
  storeLocation,
  text,
  webAddress,
} from './value-types.ts';

const mebibyte = 2 ** 20;
const largestMessage = 2 ** 31 - 1;
const largestStore = 2 ** 50;

const onlyFlag = { variable: false, file: false } as const;

/** Every setting, once: the source of its flag, environment variable, configuration key, help and section in the docs. */
export const settingTable = {
  ...inGroup('servers', {
    triton: setting(
      z.array(tritonAddress).default([]),
      'Connect to this Triton server over gRPC. Write host:port, [v6]:port, or dns:name:port for every address of a name. ' +
        'http:// means without TLS, https:// and grpcs:// mean with TLS. The default port is 8001.',
      {
        short: 't',
        aliases: ['triton-endpoint'],
        otherVariables: ['OPENAI_TRTLLM_TRITON_ENDPOINT'],
        placeholder: 'ADDRESS',
        isCommon: true,
      },
    ),
    tritonTls: setting(z.boolean(), 'Use TLS for Triton servers whose address has neither http:// nor https://.', {
      defaultText: 'on with --triton-ca, -cert, -key or -server-name',
      derive: ({ isSet }) => ['tritonCa', 'tritonCert', 'tritonKey', 'tritonServerName'].some(isSet),
    }),
    tritonCa: setting(text.optional(), 'Verify Triton servers with the CA certificates in this PEM file.', {
      path: 'file',
      defaultText: "Node's CA certificates",
    }),
    tritonCert: setting(text.optional(), 'Authenticate to Triton with the certificate in this PEM file.', {
      path: 'file',
    }),
    tritonKey: setting(text.optional(), 'Use the private key in this PEM file for --triton-cert.', { path: 'file' }),
    tritonServerName: setting(
      text.optional(),
      'Expect this name in the certificate of a Triton server, instead of the name in its address.',
      { placeholder: 'NAME' },
    ),
    tritonHeader: setting(
      metadata.prefault([]),
      'Send this header with every call to Triton. Write it as name: value or name=value.',
      { placeholder: 'HEADER', secret: true },
    ),
    tritonModel: setting(
      z.array(text).default([]),
      'Serve this model of a server without a model index, for example Dynamo. Names with settings of their own need no --triton-model.',
      { live: true, placeholder: 'NAME' },
    ),
    refreshInterval: setting(
      duration({ minimum: 100 }).prefault('2s'),
      'Set how often Conch looks for new and removed models.',
      { live: true },
    ),
    connectTimeout: setting(duration({ minimum: 1 }).prefault('5s'), 'Limit the time to open a connection to Triton.'),
    keepaliveInterval: setting(
      duration({ minimum: 0 }).prefault('300s'),
      'Set how often Conch pings a Triton connection while calls run on it. 0 turns pings off. Triton closes connections that ping faster than it allows.',
    ),
    maxMessageSize: setting(
      byteSize({ maximum: largestMessage }).prefault(largestMessage),
      'Limit the size of a message from Triton.',
    ),
  }),
  ...balanceSettings,
  ...engineSettings,
  ...localSettings,
  ...inGroup('api', {
    host: setting(listenHost, 'Listen on this address.', {
      short: 'H',
      isCommon: true,
      otherVariables: ['OPENAI_TRTLLM_HOST'],
      placeholder: 'ADDRESS',
      defaultText: '0.0.0.0 with --triton or --model-repository, 127.0.0.1 without',
      derive: defaultHost,
    }),
    port: setting(z.number().int().min(0).max(65535).default(9000), 'Set the OpenAI API port. 0 selects a free port.', {
      short: 'p',
      aliases: ['openai-port'],
      otherVariables: ['OPENAI_TRTLLM_PORT'],
      isCommon: true,
    }),
    openaiRestrictedApi: setting(
      restrictedApis.default([]),
      'Require this header and value in requests to some APIs. The APIs are inference, embedding, model-repository, metrics and health, separated by commas. ' +
        'Give three arguments or one text. In the environment variable, separate several with ; or a new line.',
      { placeholder: ['APIS', 'HEADER', 'VALUE'], secret: true },
    ),
    requestTimeout: setting(
      duration({ minimum: 0 }).prefault('10m'),
      'Limit the total time of a request. A request that takes longer ends with a 504. 0 means no limit.',
      { live: true },
    ),
    httpMaxInputSize: setting(
      byteSize({ maximum: largestMessage }).prefault(64 * mebibyte),
      'Limit the size of a request body.',
    ),
    store: setting(
      storeLocation.optional(),
      'Set where responses are stored for previous_response_id. Write sqlite:PATH, postgres://USER:PASS@HOST/DB or none.',
      { placeholder: 'PLACE', secret: true, defaultText: 'responses.sqlite in the cache folder' },
    ),
    storeMaxAge: setting(age.prefault('30d'), 'Set how long a response is stored, for example 12h or 30d.'),
    storeMaxSize: setting(
      byteSize({ maximum: largestStore }).prefault('1GiB'),
      'Limit the total size of stored responses. The oldest are deleted first.',
    ),
    strictFields: setting(
      z.boolean().default(false),
      'Reject requests with fields that are unknown or have no effect.',
      {
        live: true,
      },
    ),
    ui: setting(z.boolean().default(true), 'Serve the web UI with playground and dashboard at /.'),
    workers: setting(
      z.number().int().min(1).max(256).default(1),
      'Set the number of workers. These processes serve requests on the same ports. More than one requires models on a Triton server.',
      { isCommon: true },
    ),
  }),
  ...keySettings,
  ...limitSettings,
  ...timeoutSettings,
  ...imageSettings,
  ...perModelSettings,
  ...modelLoadSettings,
  ...inGroup('models', {
    defaultMaxTokens: setting(z.number().int().min(1).optional(), 'Set the token limit of requests that have none.', {
      live: true,
      defaultText: 'the rest of the context length',
    }),
    maxToolCallParseBytes: setting(
      z.number().int().min(1).default(131_072),
      'Limit the bytes of a possible tool call that Conch holds back until it recognizes the call. Beyond that, Conch sends it as text.',
      { live: true },
    ),
    structuredRetries: setting(
      z.number().int().min(0).max(20).default(2),
      'Set how often Conch retries a response that is not the requested structured output. It retries where the backend cannot guide the output or breaks its guide. 0 rejects requests that the backend cannot guide.',
      { live: true },
    ),
    historyTemplate: setting(
      text.optional(),
      'Set the Liquid template of the prompt for models without a chat template.',
      {
        live: true,
        otherVariables: ['OPENAI_TRTLLM_HISTORY_TEMPLATE'],
      },
    ),
    historyTemplateFile: setting(text.optional(), 'Read the Liquid template of --history-template from this file.', {
      live: true,
      otherVariables: ['OPENAI_TRTLLM_HISTORY_TEMPLATE_FILE'],
      path: 'file',
    }),
    cacheDir: setting(text, 'Store downloads in this folder.', {
      variable: 'CONCH_CACHE',
      otherVariables: ['CONCH_CACHE_DIR'],
      placeholder: 'DIR',
      defaultText: "conch in the user's cache folder",
      derive: defaultCacheDirectory,
    }),
    hfEndpoint: setting(
      webAddress.prefault('https://huggingface.co'),
      'Download tokenizers from this Hugging Face hub.',
      { live: true, otherVariables: ['HF_ENDPOINT'], placeholder: 'URL' },
    ),
    hfToken: setting(
      text.optional(),
      'Set the token for the Hugging Face hub. It has no flag, because other users can see the flags of a process.',
      { live: true, flag: false, otherVariables: ['HF_TOKEN', 'HUGGING_FACE_HUB_TOKEN'], secret: true },
    ),
  }),
  ...telemetrySettings,
  ...inGroup('logs', {
    logLevel: setting(logLevel.prefault('info'), 'Set the log level: trace, debug, info, warning, error or critical.', {
      live: true,
      aliases: ['uvicorn-log-level'],
      placeholder: 'LEVEL',
      isCommon: true,
    }),
    logFormat: setting(z.enum(['json', 'pretty']), 'Set the format of log lines.', {
      defaultText: 'pretty on a terminal, json elsewhere',
      derive: ({ stdoutIsTerminal }) => (stdoutIsTerminal ? 'pretty' : 'json'),
    }),
  }),
  config: setting(text.optional(), 'Read settings from a YAML or JSON file.', {
    file: false,
    path: 'file',
    isCommon: true,
  }),
  check: setting(
    z.boolean().default(false),
    'Check the configuration and exit. This includes the files that the settings name.',
    { ...onlyFlag, isCommon: true },
  ),
  help: setting(z.boolean().default(false), 'Show this help.', { ...onlyFlag, short: 'h', isCommon: true }),
  helpAll: setting(z.boolean().default(false), 'Show the help of all commands and flags.', onlyFlag),
  version: setting(z.boolean().default(false), 'Show the version.', { ...onlyFlag, short: 'V', isCommon: true }),
};

export type SettingName = keyof typeof settingTable;

/** The origin of a value; `where` is the flag, the environment variable or the position in the file. */
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

/** Conch serves only this machine by default, and all machines with a Triton server or a model repository. */
function defaultHost({ isSet }: DefaultContext): string {
  return isSet('triton') || isSet('modelRepository') ? '0.0.0.0' : '127.0.0.1';
}
