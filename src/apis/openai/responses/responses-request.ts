import { z } from 'zod';
import { ChatRequest } from '../../../requests/chat-request.ts';
import { list, refused } from '../../../requests/fields.ts';
import { samplingFields } from '../../../requests/sampling.ts';
import { jsonSchema, structureFields } from '../../../requests/structure.ts';
import { inputItems } from './input-items.ts';
import { toolFields } from './tool-fields.ts';

const chat = ChatRequest.shape;
const flag = z.boolean().nullish();

/** What a response may hold beside the usual. What belongs to tools that OpenAI runs is never there, so it is left out. */
const includable = [
  'reasoning.encrypted_content',
  'message.output_text.logprobs',
  'message.input_image.image_url',
  'file_search_call.results',
  'web_search_call.results',
  'web_search_call.action.sources',
  'computer_call_output.output.image_url',
  'code_interpreter_call.outputs',
] as const;

const summary = z.enum(['auto', 'concise', 'detailed'], 'must be auto, concise or detailed').nullish();

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

/** The fields that mean the same in a chat and are given to it as they are. */
export const chatFields = {
  ...samplingFields,
  ...structureFields,
  chat_template_kwargs: chat.chat_template_kwargs,
  add_generation_prompt: chat.add_generation_prompt,
  continue_final_message: chat.continue_final_message,
  documents: chat.documents,
  include_reasoning: chat.include_reasoning,
};

/** Fields of a chat that have another name or place here. */
export const renamedFields = {
  n: refused('a response has one answer', [1]),
  max_tokens: refused('send max_output_tokens'),
  response_format: refused('send text.format'),
  stream_options: z
    .strictObject({ include_obfuscation: refused('obfuscation of streams is not offered', [false]) })
    .nullish(),
  messages: refused('it belongs to /v1/chat/completions; send input'),
  max_completion_tokens: refused('it belongs to /v1/chat/completions; send max_output_tokens'),
  reasoning_effort: refused('it belongs to /v1/chat/completions; send reasoning.effort'),
  verbosity: refused('it belongs to /v1/chat/completions; send text.verbosity', ['medium']),
  logprobs: refused('it belongs to /v1/chat/completions; send include and top_logprobs', [false]),
};

/** The body of POST /v1/responses: every field of OpenAI's, and those of vLLM's that a chat takes. */
export const ResponsesRequest = z
  .object({
    ...chatFields,
    ...renamedFields,
    ...toolFields,
    model: chat.model,
    input: z.union([z.string(), inputItems], { error: 'must be a text or a list of items' }).nullish(),
    instructions: z.string().nullish(),
    previous_response_id: z.string().min(1).nullish(),
    max_output_tokens: z.number().int().min(1).nullish(),
    top_logprobs: chat.top_logprobs,
    text: z
      .object({
        format: format.nullish(),
        verbosity: refused('the backend has no such dial; say it in the instructions', ['medium']),
      })
      .nullish(),
    reasoning: z
      .object({
        effort: chat.reasoning_effort,
        summary,
        generate_summary: summary,
        context: refused("the model's chat template decides which reasoning it reads again", ['auto']),
        mode: refused('only the mode standard exists here', ['standard']),
      })
      .nullish(),
    truncation: z.enum(['auto', 'disabled'], 'must be auto or disabled').nullish(),
    include: list(z.enum(includable, `must be one of ${includable.join(', ')}`), { most: 100 }).nullish(),
    metadata: chat.metadata,
    store: flag,
    background: flag,

    safety_identifier: chat.safety_identifier,
    prompt_cache_key: chat.prompt_cache_key,
    prompt_cache_retention: chat.prompt_cache_retention,
    prompt_cache_options: chat.prompt_cache_options,
    service_tier: chat.service_tier,

    conversation: refused('conversations are not offered; send previous_response_id or the items themselves'),
    context_management: refused('conversations are not compacted; send truncation'),
    prompt: refused('prompts are not kept here; send instructions and input'),
    moderation: refused('moderation is not offered'),
  })
  .superRefine((request, context) => {
    const refuse = (field: string, message: string): void => {
      context.addIssue({ code: 'custom', path: [field], message });
    };
    if ((request.input ?? undefined) === undefined && !request.previous_response_id)
      refuse('input', 'is required where no response goes before.');
    if (request.background && request.store === false)
      refuse('background', 'only a stored response can be waited for; leave store out.');
  });

export type ResponsesRequest = z.output<typeof ResponsesRequest>;
