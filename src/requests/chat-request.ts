import { z } from 'zod';
import { engineObject } from './engine-fields.ts';
import { list, record, unsupportedField } from './fields.ts';
import { samplingFields } from './sampling.ts';
import { structureFields } from './structure.ts';
import { type DeferredTools, pastCall, toolFields } from './tools.ts';

/** Maximum number of messages of a conversation, and of content parts of a message. */
export const mostMessages = 100_000;

/** Maximum number of `chat_template_kwargs`, and of entries of a document. */
const mostVariables = 1_024;

const image = z.looseObject(
  { url: z.string().min(1), detail: z.enum(['auto', 'low', 'high'], { error: 'must be auto, low or high' }).nullish() },
  { error: 'must be an object with a url' },
);

/** A content part of each type must have a field of the same name. */
const partTypes = ['text', 'refusal', 'image_url'] as const;
type PartType = (typeof partTypes)[number];

const part = z
  .looseObject({
    type: z.string(),
    text: z.string().optional(),
    refusal: z.string().optional(),
    image_url: image.optional(),
  })
  .superRefine((value, context) => {
    if (isPartType(value.type)) {
      if (value[value.type] === undefined)
        context.addIssue({ code: 'custom', path: [value.type], message: 'is required in a content part of this type' });
      return;
    }
    const message = `content parts of type ${JSON.stringify(value.type)} are not supported; send text`;
    context.addIssue({ code: 'custom', message, params: { code: 'unsupported_parameter' } });
  });

function isPartType(type: string): type is PartType {
  return partTypes.some((known) => known === type);
}

const textPart = part.refine(({ type }) => type !== 'image_url', 'images are only supported in user and tool messages');

const contentOf = (item: typeof part) =>
  z.union([z.string(), list(item, { least: 1, most: mostMessages })], {
    error: 'must be a string or an array of content parts',
  });
const content = contentOf(textPart);
const contentWithImages = contentOf(part);

const name = z.string().nullish();

const message = z.discriminatedUnion(
  'role',
  [
    z.looseObject({ role: z.literal('system'), content, name }),
    z.looseObject({ role: z.literal('developer'), content, name }),
    z.looseObject({ role: z.literal('user'), content: contentWithImages, name }),
    z.looseObject({
      role: z.literal('assistant'),
      content: content.nullish(),
      refusal: z.string().nullish(),
      name,
      audio: unsupportedField('audio is not supported'),
      tool_calls: list(pastCall, { most: mostMessages }).nullish(),
      function_call: unsupportedField('deprecated; send tool_calls instead'),
    }),
    z.looseObject({ role: z.literal('tool'), content: contentWithImages, tool_call_id: z.string().min(1) }),
    z.looseObject({
      role: z.literal('function'),
      content: content.nullish(),
      name: unsupportedField('function messages are deprecated; send a tool message instead'),
    }),
  ],
  { error: 'role must be system, developer, user, assistant or tool' },
);

/** One message of a conversation as sent by the client. Fields that OpenAI does not define reach the chat template. */
export type ChatMessage = z.output<typeof message> | ResultWithoutCall;

/** A tool result whose call is not in the conversation. OpenAI requires the call; Ollama does not. */
interface ResultWithoutCall {
  readonly role: 'tool';
  readonly content: z.output<typeof contentWithImages>;
  readonly name?: string;
  readonly tool_call_id?: never;
}

/** The body of POST /v1/chat/completions: every field of OpenAI's and of vLLM's. */
export const ChatRequest = z.object({
  ...samplingFields,
  ...structureFields,
  ...toolFields,
  model: z.string().min(1).max(256),
  messages: list(message, { least: 1, most: mostMessages }),
  max_completion_tokens: z.number().int().min(1).nullish(),
  max_tokens: z.number().int().min(1).nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.number().int().min(0).max(20).nullish(),
  metadata: record(z.string().max(512), { key: z.string().max(64), most: 16 }).nullish(),
  reasoning_effort: z.string().nullish(),
  enable_thinking: z.boolean().nullish(),

  chat_template_kwargs: record(z.unknown(), { most: mostVariables }).nullish(),
  add_generation_prompt: z.boolean().nullish(),
  continue_final_message: z.boolean().nullish(),
  documents: list(record(z.unknown(), { most: mostVariables }), { most: mostMessages }).nullish(),
  echo: z.boolean().nullish(),
  add_special_tokens: z.boolean().nullish(),
  mm_processor_kwargs: engineObject.nullish(),

  safety_identifier: z.string().nullish(),
  prompt_cache_key: z.string().nullish(),
  prompt_cache_retention: z.string().nullish(),
  prompt_cache_options: z.looseObject({}).nullish(),
  service_tier: unsupportedField('must be auto or default; other service tiers are not supported', ['auto', 'default']),
  store: unsupportedField('chat completions are not stored; use /v1/responses to store responses', [false]),
  verbosity: z.string().nullish(),
  modalities: list(z.string(), { most: 16 })
    .refine((value) => value.every((modality) => modality === 'text'), {
      message: 'only text is supported',
      params: { code: 'unsupported_parameter' },
    })
    .nullish(),

  audio: unsupportedField('audio is not supported'),
  prediction: unsupportedField('predicted outputs are not supported'),
  web_search_options: unsupportedField('web search is not supported'),
  moderation: unsupportedField('moderation is not supported'),
  best_of: unsupportedField('chat choices are not ranked; send n instead', [1]),
  suffix: unsupportedField('only supported by /v1/completions'),
  prompt: unsupportedField('only supported by /v1/completions; send messages instead'),
  chat_template: unsupportedField(
    'requests cannot set the chat template; it comes with the model or from --chat-template',
  ),
  media_io_kwargs: unsupportedField('not supported by the backend'),
  return_prompt_text: unsupportedField('the prompt is not returned', [false]),
  include_reasoning: z.boolean().nullish(),
  reasoning: unsupportedField('only supported by /v1/responses; send reasoning_effort instead'),
});

export type ChatRequest = Omit<z.output<typeof ChatRequest>, 'messages'> & { messages: ChatMessage[] } & DeferredTools;
