import { z } from 'zod';
import { ChatRequest } from '../../../requests/chat-request.ts';
import { ignoredField, list, unsupportedField } from '../../../requests/fields.ts';
import { withIgnoredParts } from '../../../requests/ignored-fields.ts';
import { samplingFields } from '../../../requests/sampling.ts';
import { jsonSchema, structureFields } from '../../../requests/structure.ts';
import { input } from './input-items.ts';
import { toolFields } from './tool-fields.ts';

const chat = ChatRequest.shape;
const flag = z.boolean().nullish();

/** The values of `include` that OpenAI's own tools have. They are accepted and ignored. */
const hostedValues = [
  'file_search_call.results',
  'web_search_call.results',
  'web_search_call.action.sources',
  'computer_call_output.output.image_url',
  'code_interpreter_call.outputs',
] as const;

/** The values of `include`. */
const includable = [
  'reasoning.encrypted_content',
  'message.output_text.logprobs',
  'message.input_image.image_url',
  ...hostedValues,
] as const;

const includedValue = withIgnoredParts(z.enum(includable, `must be one of ${includable.join(', ')}`), (value) =>
  hostedValues.some((name) => name === value)
    ? [{ path: '', reason: 'tools that OpenAI runs are not supported, so there is nothing to include' }]
    : [],
);

const summary = withIgnoredParts(z.enum(['auto', 'concise', 'detailed'], 'must be auto, concise or detailed'), () => [
  { path: '', reason: 'reasoning is not summarized; the response has all of it' },
]).nullish();

const format = z.discriminatedUnion(
  'type',
  [
    z.object({ type: z.literal('text') }),
    z.object({ type: z.literal('json_object') }),
    z.object({
      type: z.literal('json_schema'),
      ...jsonSchema.shape,
      schema: jsonSchema.shape.schema.unwrap().unwrap(),
    }),
  ],
  { error: 'must be text, json_object or json_schema' },
);

/** The fields that are passed to the chat request unchanged. */
export const chatFields = {
  ...samplingFields,
  ...structureFields,
  chat_template_kwargs: chat.chat_template_kwargs,
  add_generation_prompt: chat.add_generation_prompt,
  continue_final_message: chat.continue_final_message,
  documents: chat.documents,
  include_reasoning: chat.include_reasoning,
};

/** Chat request fields that have another name or path here. */
export const renamedFields = {
  n: unsupportedField('a response has only one choice', [1]),
  max_tokens: unsupportedField('only supported by /v1/chat/completions; send max_output_tokens instead'),
  response_format: unsupportedField('only supported by /v1/chat/completions; send text.format instead'),
  stream_options: z
    .strictObject({ include_obfuscation: unsupportedField('stream obfuscation is not supported', [false]) })
    .nullish(),
  messages: unsupportedField('only supported by /v1/chat/completions; send input instead'),
  max_completion_tokens: unsupportedField('only supported by /v1/chat/completions; send max_output_tokens instead'),
  reasoning_effort: unsupportedField('only supported by /v1/chat/completions; send reasoning.effort instead'),
  verbosity: unsupportedField('only supported by /v1/chat/completions; send text.verbosity instead', ['medium']),
  logprobs: unsupportedField('only supported by /v1/chat/completions; send include and top_logprobs instead', [false]),
  prompt_logprobs: unsupportedField('only supported by /v1/chat/completions and /v1/completions'),
  return_token_ids: unsupportedField('only supported by /v1/chat/completions and /v1/completions', [false]),
};

/** The body of POST /v1/responses: every field of OpenAI's, and those of vLLM's that a chat takes. */
export const ResponsesRequest = z
  .object({
    ...chatFields,
    ...renamedFields,
    ...toolFields,
    model: chat.model,
    input: input.nullish(),
    instructions: z.string().nullish(),
    previous_response_id: z.string().min(1).nullish(),
    max_output_tokens: z.number().int().min(1).nullish(),
    top_logprobs: chat.top_logprobs,
    text: z
      .object({
        format: format.nullish(),
        verbosity: z.string().nullish(),
      })
      .nullish(),
    reasoning: z
      .object({
        effort: chat.reasoning_effort,
        summary,
        generate_summary: summary,
        context: ignoredField("the model's chat template decides which earlier reasoning it includes", ['auto']),
        mode: unsupportedField('must be standard; other modes are not supported', ['standard']),
      })
      .nullish(),
    truncation: z.enum(['auto', 'disabled'], 'must be auto or disabled').nullish(),
    include: list(includedValue, { most: 100 }).nullish(),
    metadata: chat.metadata,
    store: flag,
    background: flag,

    client_metadata: z.looseObject({}).nullish(),
    safety_identifier: chat.safety_identifier,
    prompt_cache_key: chat.prompt_cache_key,
    prompt_cache_retention: chat.prompt_cache_retention,
    prompt_cache_options: chat.prompt_cache_options,
    service_tier: chat.service_tier,

    conversation: unsupportedField('conversations are not supported; send previous_response_id or the items'),
    context_management: unsupportedField('compaction is not supported; send truncation instead'),
    prompt: unsupportedField('stored prompts are not supported; send instructions and input'),
    moderation: unsupportedField('moderation is not supported'),
  })
  .superRefine((request, context) => {
    const refuse = (field: string, message: string): void => {
      context.addIssue({ code: 'custom', path: [field], message });
    };
    if ((request.input ?? undefined) === undefined && !request.previous_response_id)
      refuse('input', 'is required without previous_response_id.');
    if (request.background && request.store === false)
      refuse('background', 'requires a stored response; leave store out.');
  });

export type ResponsesRequest = z.output<typeof ResponsesRequest>;
