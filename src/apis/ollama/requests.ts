import { z } from 'zod';
import { isJsonObject } from '../../json-object.ts';
import { mostMessages } from '../../requests/chat-request.ts';
import { mostInputs } from '../../requests/embedding-request.ts';
import { ignoredField, list, unsupportedField } from '../../requests/fields.ts';
import { toolFields } from '../../requests/tools.ts';
import { images, message } from './messages.ts';
import { options } from './options.ts';

const model = z.string().min(1).max(256);
const flag = z.boolean().nullish();
const mostTokens = 1_000_000;

const format = z.union([z.enum(['', 'json']), z.custom<Record<string, unknown>>(isJsonObject)], {
  error: 'must be json or a JSON schema',
});

const degrees = { error: 'must be true, false, low, medium or high' };
const think = z.union([z.boolean(), z.enum(['low', 'medium', 'high'], degrees)], degrees);

/** The fields of every request that runs a model. */
const modelFields = {
  model,
  options: options.nullish(),
  keep_alive: z.union([z.number(), z.string()], { error: 'must be a number of seconds or a duration' }).nullish(),
  truncate: flag,
};

const generateFields = {
  ...modelFields,
  stream: flag,
  format: format.nullish(),
  think: think.nullish(),
  logprobs: flag,
  top_logprobs: z.number().int().min(0).max(20).nullish(),
  shift: flag,
  _debug_render_only: unsupportedField('not supported; use /apply-template to see the prompt', [false]),
};

/** The body of POST /api/chat: every field of Ollama's. */
export const OllamaChatRequest = z.object({
  ...generateFields,
  messages: list(message, { most: mostMessages }).nullish(),
  tools: toolFields.tools,
});

export type OllamaChatRequest = z.output<typeof OllamaChatRequest>;

/** The body of POST /api/generate: every field of Ollama's. */
export const OllamaGenerateRequest = z.object({
  ...generateFields,
  prompt: z.string().nullish(),
  system: z.string().nullish(),
  images: images.nullish(),
  raw: flag,

  suffix: unsupportedField('not supported; models only append text to the prompt', ['']),
  template: unsupportedField(
    'not supported; templates come with the model or from --chat-template. Set raw for a prompt without template',
    [''],
  ),
  context: list(z.number().int(), { most: mostTokens })
    .refine((tokens) => tokens.length === 0, {
      message: 'not supported; Conch stores nothing between requests. Send the conversation to /api/chat',
      params: { code: 'unsupported_parameter' },
    })
    .nullish(),
  width: unsupportedField('image generation is not supported', [0]),
  height: unsupportedField('image generation is not supported', [0]),
  steps: unsupportedField('image generation is not supported', [0]),
});

export type OllamaGenerateRequest = z.output<typeof OllamaGenerateRequest>;

const text = z.string().min(1, 'must not be empty');

/** The body of POST /api/embed: every field of Ollama's. */
export const OllamaEmbedRequest = z.object({
  ...modelFields,
  input: z.union([text, list(text, { least: 1, most: mostInputs })], {
    error: 'must be a string or an array of strings',
  }),
  dimensions: z.number().int().min(1).nullish(),
});

/** The body of POST /api/embeddings, which /api/embed replaced. */
export const OllamaEmbeddingsRequest = z.object({ ...modelFields, prompt: text });

/** The body of POST /api/show. The other fields would change what it describes. */
export const OllamaShowRequest = z.object({
  model,
  verbose: flag,
  system: unsupportedField('not supported; /api/show describes the model as it is served', ['']),
  template: unsupportedField('not supported; /api/show describes the model as it is served', ['']),
  options: unsupportedField('not supported; /api/show describes the model as it is served'),
});

/** The body of POST /api/pull. */
export const OllamaPullRequest = z.object({
  model,
  stream: flag,
  insecure: ignoredField('nothing is downloaded', [false]),
});
