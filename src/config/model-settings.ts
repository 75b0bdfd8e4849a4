import { z } from 'zod';
import { admissionSettings } from './model-load-settings.ts';
import { plainWords } from './problem.ts';
import { inGroup, setting, type Values } from './setting.ts';
import { text } from './value-types.ts';

type AdapterFolders = Readonly<Record<string, z.output<typeof adapterFolder>>>;

const adapterNames = z.array(text).superRefine((names, context) => {
  const at = names.findIndex((name, index) => names.indexOf(name) !== index);
  if (at >= 0) context.addIssue({ code: 'custom', path: [at], message: `must not contain ${names[at]} twice` });
});

/** An adapter in a folder of this machine, or in one of the server. */
const adapterFolder = z
  .strictObject({
    dir: text.optional(),
    server_path: text.optional(),
    source: z.enum(['hf', 'nemo']).optional(),
    task_id: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
  })
  .superRefine(({ dir, server_path: path, source }, context) => {
    if ((dir === undefined) === (path === undefined))
      context.addIssue({ code: 'custom', message: 'must have either dir or server_path' });
    else if (source !== undefined && path === undefined)
      context.addIssue({ code: 'custom', path: ['source'], message: 'needs server_path' });
  });

const adapterFolders = z.record(text, adapterFolder).superRefine((folders, context) => {
  const ids = Object.entries(folders).map(([name, { task_id: id }]) => ({ name, id }));
  for (const [index, { name, id }] of ids.entries()) {
    const other = ids.slice(0, index).find((one) => id !== undefined && one.id === id);
    if (other)
      context.addIssue({
        code: 'custom',
        path: [name, 'task_id'],
        message: `must not be ${id}, which is the task_id of ${other.name}`,
      });
  }
});

const words = { error: plainWords };

/** The LoRA adapters of a model: a list of names, or a map from names to folders. */
const adapters = z.unknown().transform((input, context): z.output<typeof adapterNames> | AdapterFolders => {
  const result = Array.isArray(input) ? adapterNames.safeParse(input, words) : adapterFolders.safeParse(input, words);
  if (result.success) return result.data;
  for (const issue of result.error.issues) context.addIssue({ ...issue });
  return z.NEVER;
});

/** The contracts of a model; `tensorrtllm` is any of that family, as Triton's own frontend names it. */
const contract = z.enum(['vllm', 'tensorrtllm', 'trtllm', 'trtllm-tokens', 'llmapi', 'conch-tokens']);

const each = { perModel: true, live: true } as const;

/** The settings that apply to all models, or to one: `--x value`, `--x model=value`. */
export const perModelSettings = inGroup('models', {
  tokenizer: setting(
    text.optional(),
    'Use this tokenizer: a folder with tokenizer.json and tokenizer_config.json, or a name on the Hugging Face hub.',
    { placeholder: '[MODEL=]DIR', ...each, path: 'folder-or-name', isCommon: true },
  ),
  chatTemplate: setting(text.optional(), "Use the Jinja chat template in this file. It replaces the tokenizer's own.", {
    placeholder: '[MODEL=]FILE',
    ...each,
    path: 'file',
    isCommon: true,
  }),
  contextLength: setting(
    z.number().int().min(1).optional(),
    'Set the context length in tokens. Prompt and response share it.',
    { placeholder: '[MODEL=]N', ...each, isCommon: true, defaultText: 'from the server or the tokenizer' },
  ),
  contract: setting(
    contract.optional(),
    "Override the detected contract of a model. Contracts are vllm, conch-tokens (Conch's own vLLM model), trtllm (text), trtllm-tokens (token ids, straight to the engine) and llmapi. tensorrtllm means any of the last three.",
    {
      aliases: ['backend'],
      placeholder: '[MODEL=]NAME',
      ...each,
      defaultText: "detected from the model's configuration",
    },
  ),
  toolCallParser: setting(
    text.optional(),
    'Set the tool parser of a model. docs/tool-calling.md lists the names, for example hermes, llama3_json or mistral. none leaves tool calls as text.',
    { placeholder: '[MODEL=]NAME', ...each, isCommon: true, defaultText: "detected from the model's chat template" },
  ),
  reasoningParser: setting(
    text.optional(),
    'Set the reasoning parser of a model. docs/tool-calling.md lists the names, for example deepseek_r1 or qwen3. none leaves reasoning as text.',
    { placeholder: '[MODEL=]NAME', ...each, isCommon: true, defaultText: "detected from the model's chat template" },
  ),
  toolPrompt: setting(
    text
      .refine(
        (value) => ['default', 'none'].includes(value) || value.includes('{tools}'),
        'must be default, none or a text with {tools}',
      )
      .optional(),
    'Describe tools with this text in the system message, if the chat template does not support tools. {tools} in it becomes the JSON of the tools, one per line. default is a text of Conch. Without this setting, Conch drops the tools.',
    { placeholder: '[MODEL=]TEXT', ...each, defaultText: 'none' },
  ),
  imagePlaceholder: setting(
    text.optional(),
    'Set the text that represents an image in the prompt. {n} in it becomes the number of the image. none means that the model inserts images by itself.',
    {
      placeholder: '[MODEL=]TEXT',
      ...each,
      defaultText: "from the model's chat template, else its tokenizer's image token",
    },
  ),
  engineDir: setting(text.optional(), 'Read the limits of a TensorRT-LLM engine from config.json in its folder.', {
    placeholder: '[MODEL=]DIR',
    ...each,
    path: 'folder',
    defaultText: "from the model's configuration, if readable",
  }),
  cancelWith: setting(
    z.enum(['cancel', 'stop-input']).optional(),
    'Set how Conch ends a request early in a TensorRT-LLM engine. cancel cancels its stream. stop-input sends a second request with the input stop.',
    { placeholder: '[MODEL=]WAY', ...each, defaultText: 'cancel' },
  ),
  ...admissionSettings,
});

const tokenId = z.number().int().min(0);

/** Values for request fields that the client omitted; the keys are those of the request. */
export const samplingDefaults = z.strictObject({
  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().min(0).max(1).optional(),
  top_k: z.number().int().min(-1).optional(),
  min_p: z.number().min(0).max(1).optional(),
  max_tokens: z.number().int().min(1).optional(),
  min_tokens: z.number().int().min(0).optional(),
  frequency_penalty: z.number().min(-2).max(2).optional(),
  presence_penalty: z.number().min(-2).max(2).optional(),
  repetition_penalty: z.number().gt(0).optional(),
  seed: z.number().int().optional(),
  stop: z
    .union([text, z.array(text).min(1).max(16)], { error: 'must be a text or a list of 1 to 16 texts' })
    .optional(),
  stop_token_ids: z.array(tokenId).optional(),
  bad_words: z.array(text).optional(),
  allowed_token_ids: z.array(tokenId).min(1).optional(),
  logit_bias: z
    .record(z.string().regex(/^\d+$/), z.number().min(-100).max(100), {
      error: ({ code }) => (code === 'invalid_key' ? 'must have a token id as its key' : undefined),
    })
    .optional(),
  ignore_eos: z.boolean().optional(),
  include_stop_str_in_output: z.boolean().optional(),
  skip_special_tokens: z.boolean().optional(),
  spaces_between_special_tokens: z.boolean().optional(),
  logits_post_processor_name: text.optional(),
  chat_template_kwargs: z.record(z.string(), z.unknown()).optional(),
});

export type SamplingDefaults = Readonly<z.output<typeof samplingDefaults>>;

/** The names of a model's tensors. */
const rowTensors = {
  input: text.optional(),
  attention_mask: text.optional(),
  token_type_ids: text.optional(),
  output: text.optional(),
};

const activation = z.enum(['sigmoid', 'softmax', 'none']).optional();

/** How a model makes vectors, where Conch does not detect it from its configuration and its folder. */
const embedding = z.strictObject({
  ...rowTensors,
  pooling: z.enum(['mean', 'cls', 'last']).optional(),
  normalize: z.boolean().optional(),
  prompt: z.string().optional(),
});

/** How a model scores documents, where Conch does not detect it from its configuration. */
const rerank = z.strictObject({
  ...rowTensors,
  activation,
  label: z.number().int().min(0).optional(),
});

/** How a model classifies texts, where Conch does not detect it from its configuration. */
const classify = z.strictObject({
  ...rowTensors,
  activation,
  labels: z.array(text).min(1).optional(),
});

/** The keys of a model in the file that are not settings for all models. */
const modelOnlySettings = inGroup('models', {
  serves: setting(text.optional(), 'Make this name an alias of a model on the server.', { placeholder: 'MODEL' }),
  system: setting(text.optional(), 'Set the system message of conversations that have none.'),
  addsSpecialTokens: setting(
    z.boolean().optional(),
    'Set whether the server itself puts the special tokens that begin a text before the prompt.',
    { placeholder: 'true|false', defaultText: 'depends on the contract' },
  ),
  loraTaskId: setting(
    z.number().int().min(0).optional(),
    'Serve a LoRA adapter of a TensorRT-LLM engine under this name, by its number.',
  ),
  lora: setting(
    adapters.optional(),
    "Set the LoRA adapters of this name. A list names those that a vLLM model has. A map has those of TensorRT-LLM. For an engine, each has dir (folder of model.lora_weights.npy and model.lora_config.npy) and optionally task_id. For the LLM API and Conch's own vLLM model, each has server_path (a folder on the server); for the LLM API also task_id and source (hf or nemo), which are optional.",
    { placeholder: 'LIST|MAP', path: 'folders-in-map' },
  ),
  embedding: setting(
    embedding.optional(),
    'Configure embeddings where Conch does not detect them. Keys are input, attention_mask, token_type_ids, output, pooling (mean, cls, last), normalize, prompt.',
    { placeholder: 'MAP' },
  ),
  rerank: setting(
    rerank.optional(),
    'Configure reranking where Conch does not detect it. Keys are input, attention_mask, token_type_ids, output, activation (sigmoid, softmax, none), label.',
    { placeholder: 'MAP' },
  ),
  classify: setting(
    classify.optional(),
    'Configure classification where Conch does not detect it. Keys are input, attention_mask, token_type_ids, output, activation (sigmoid, softmax, none), labels (a list).',
    { placeholder: 'MAP' },
  ),
  defaults: setting(
    samplingDefaults.optional(),
    `Set values for omitted request fields: ${Object.keys(samplingDefaults.shape).join(', ')}.`,
    { placeholder: 'MAP' },
  ),
});

/** Every key that a model may have in the file. */
export const modelTable = { ...modelOnlySettings, ...perModelSettings };

type DefinedValues<T> = { readonly [K in keyof T]?: NonNullable<T[K]> };

/** The settings of one model; those that are not set are left out. */
export type ModelSettings = DefinedValues<Values<typeof modelTable>>;

/** What `modelSettings` reads: the defaults for all models, and what is set for each. */
type ModelSettingsSource = Values<typeof perModelSettings> & {
  readonly defaultMaxTokens: number | undefined;
  readonly models: Readonly<Record<string, ModelSettings>>;
};

/**
 * The settings of the model that is served under this name. Those of the name itself come first, then those of the model
 * that it serves, then those for all models.
 */
export function modelSettings(settings: ModelSettingsSource, name: string): ResolvedModel {
  const known = modelCache.get(settings) ?? new Map<string, ResolvedModel>();
  modelCache.set(settings, known);
  const found = known.get(name) ?? resolveModel(settings, name);
  known.set(name, found);
  return found;
}

type ResolvedModel = ModelSettings & { readonly defaults: SamplingDefaults };

/** Cached results: every request needs them, and a settings object never changes. */
const modelCache = new WeakMap<ModelSettingsSource, Map<string, ResolvedModel>>();

function resolveModel(settings: ModelSettingsSource, name: string): ResolvedModel {
  const own = modelEntry(settings, name);
  const served = own.serves === undefined ? {} : modelEntry(settings, own.serves);
  const defaults = {
    ...(settings.defaultMaxTokens === undefined ? {} : { max_tokens: settings.defaultMaxTokens }),
    ...served.defaults,
    ...own.defaults,
  };
  const forAll = Object.fromEntries(
    Object.keys(perModelSettings)
      .map((key): [string, unknown] => [key, Reflect.get(settings, key)])
      .filter(([, value]) => value !== undefined),
  );
  return { ...forAll, ...served, ...own, defaults };
}

// A model may be called `constructor`.
function modelEntry({ models }: ModelSettingsSource, name: string): ModelSettings {
  return Object.hasOwn(models, name) ? (models[name] ?? {}) : {};
}
