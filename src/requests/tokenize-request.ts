import { z } from 'zod';
import { withAcceptedValues } from './accepted-values.ts';
import { ChatRequest } from './chat-request.ts';
import { list, unsupportedField } from './fields.ts';

/** Maximum number of token ids per request: more than any context length. */
const mostIds = 1_000_000;

/** Checked by hand: a million ids are too many for a schema per id. */
const tokenIds = withAcceptedValues(
  { kind: 'any', of: [list(z.number().int().min(0), { most: mostIds })] },
  z.unknown().transform((value, context): readonly number[] => {
    const fail = (message: string, path: number[] = []): never => {
      context.addIssue({ code: 'custom', message, path });
      return z.NEVER;
    };
    if (!Array.isArray(value)) return fail('must be an array of token ids.');
    if (value.length > mostIds) return fail(`must have at most ${mostIds} token ids, not ${value.length}.`);
    const wrong = value.findIndex((id) => !Number.isSafeInteger(id) || id < 0);
    return wrong < 0 ? value : fail('must be a token id: an integer of at least 0.', [wrong]);
  }),
);

const { messages, tools, tool_choice, parallel_tool_calls, functions, function_call } = ChatRequest.shape;
const { chat_template_kwargs, add_generation_prompt, continue_final_message, documents } = ChatRequest.shape;
const { reasoning_effort, enable_thinking, chat_template } = ChatRequest.shape;

/** The fields beside `messages` that reach the chat template. */
const conversationFields = {
  tools,
  tool_choice,
  parallel_tool_calls,
  functions,
  function_call,
  chat_template_kwargs,
  add_generation_prompt,
  continue_final_message,
  documents,
  reasoning_effort,
  enable_thinking,
};

const model = z.string().min(1).max(256);
const templateFields = { chat_template, mm_processor_kwargs: unsupportedField('images and audio are not processed') };

/** The body of POST /tokenize: a text, or a conversation. */
export const TokenizeRequest = z.object({
  ...conversationFields,
  ...templateFields,
  model,
  prompt: z.string('must be a string').nullish(),
  messages: messages.nullish(),
  add_special_tokens: z.boolean().nullish(),
  return_token_strs: z.boolean().nullish(),
});

export type TokenizeRequest = z.output<typeof TokenizeRequest>;

/** The fields that are ignored with `prompt`. */
export const conversationOnly = Object.keys(conversationFields) as readonly (keyof typeof conversationFields)[];

/** The body of POST /detokenize. */
export const DetokenizeRequest = z.object({ model, tokens: tokenIds });

export type DetokenizeRequest = z.output<typeof DetokenizeRequest>;

/** The body of POST /apply-template. */
export const ApplyTemplateRequest = z.object({
  ...conversationFields,
  ...templateFields,
  model,
  messages,
  prompt: unsupportedField('chat templates apply only to messages; send messages instead'),
});

export type ApplyTemplateRequest = z.output<typeof ApplyTemplateRequest>;
