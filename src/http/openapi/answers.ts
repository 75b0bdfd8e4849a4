import { errorTable } from '../../errors.ts';
import type { JsonSchema } from './json-schema.ts';

const text = { type: 'string' };
const whole = { type: 'integer' };
const number = { type: 'number' };
const flag = { type: 'boolean' };
const anything = {};
const ofKind = (kind: string) => ({ const: kind });
const listOf = (items: JsonSchema) => ({ type: 'array', items });
const orNull = (schema: JsonSchema) => ({ anyOf: [schema, { type: 'null' }] });

/** An object with all of these members, and others that only some have. */
function object(members: Readonly<Record<string, JsonSchema>>, rarer: Readonly<Record<string, JsonSchema>> = {}) {
  return { type: 'object', properties: { ...members, ...rarer }, required: Object.keys(members) };
}

const errorTypes = [...new Set(Object.values(errorTable).map(({ type }) => type))];

const usage = object({ prompt_tokens: whole, total_tokens: whole }, { completion_tokens: whole });

const toolCall = object({ id: text, type: ofKind('function'), function: object({ name: text, arguments: text }) });

const chatMessage = object(
  { role: ofKind('assistant'), content: orNull(text), refusal: orNull(text) },
  { reasoning_content: text, reasoning: text, tool_calls: listOf(toolCall) },
);

const finishReason = orNull(text);

const head = (kind: string) => ({ id: text, object: ofKind(kind), created: whole, model: text });

const ollamaHead = { model: text, created_at: text, done: flag, done_reason: text };

const capabilities = { type: 'object', additionalProperties: flag };

/** The answers of the API by their names. Clients meet members beyond these. */
export const answerSchemas: Readonly<Record<string, JsonSchema>> = {
  Error: object({
    error: object({
      message: text,
      type: { enum: errorTypes },
      param: orNull(text),
      code: { enum: Object.keys(errorTable) },
    }),
  }),
  MessagesError: object({
    type: ofKind('error'),
    error: object({ type: text, message: text }),
    request_id: text,
  }),
  ChatCompletion: object({
    ...head('chat.completion'),
    choices: listOf(object({ index: whole, message: chatMessage, finish_reason: finishReason })),
    usage,
  }),
  Completion: object({
    ...head('text_completion'),
    choices: listOf(object({ index: whole, text, finish_reason: finishReason })),
    usage,
  }),
  Response: object({
    id: text,
    object: ofKind('response'),
    created_at: whole,
    status: { enum: ['queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled'] },
    model: text,
    output: listOf(object({ type: text, id: text })),
    usage: orNull(object({ input_tokens: whole, output_tokens: whole, total_tokens: whole })),
  }),
  InputTokens: object({ object: ofKind('response.input_tokens'), input_tokens: whole }),
  DeletedResponse: object({ id: text, object: ofKind('response'), deleted: { const: true } }),
  ItemPage: object({
    object: ofKind('list'),
    data: listOf(anything),
    first_id: orNull(text),
    last_id: orNull(text),
    has_more: flag,
  }),
  Message: object({
    id: text,
    type: ofKind('message'),
    role: ofKind('assistant'),
    model: text,
    content: listOf(object({ type: { enum: ['text', 'thinking', 'tool_use'] } })),
    stop_reason: orNull({ enum: ['end_turn', 'max_tokens', 'stop_sequence', 'tool_use'] }),
    stop_sequence: orNull(text),
    usage: object({ input_tokens: whole, output_tokens: whole }),
  }),
  MessageTokens: object({ input_tokens: whole }),
  OllamaError: object({ error: text }),
  OllamaChat: object({
    ...ollamaHead,
    message: object(
      { role: ofKind('assistant'), content: text },
      {
        thinking: text,
        tool_calls: listOf(object({ id: text, function: object({ name: text, arguments: anything }) })),
      },
    ),
  }),
  OllamaGeneration: object({ ...ollamaHead, response: text }, { thinking: text }),
  OllamaEmbeddings: object(
    { model: text, embeddings: listOf(listOf(number)), total_duration: whole, load_duration: whole },
    { prompt_eval_count: whole },
  ),
  OllamaEmbedding: object({ embedding: listOf(number) }),
  OllamaModel: object({
    modelfile: text,
    parameters: text,
    template: text,
    details: { type: 'object' },
    model_info: { type: 'object' },
    capabilities: listOf(text),
    modified_at: text,
  }),
  OllamaModels: object({
    models: listOf(object({ name: text, model: text, size: whole, digest: text, details: { type: 'object' } })),
  }),
  OllamaVersion: object({ version: text }),
  Embeddings: object({
    object: ofKind('list'),
    data: listOf(object({ object: ofKind('embedding'), index: whole, embedding: { anyOf: [listOf(number), text] } })),
    model: text,
    usage: orNull(usage),
  }),
  Ranking: object({
    id: text,
    model: text,
    results: listOf(object({ index: whole, relevance_score: number }, { document: object({ text }) })),
    meta: { type: 'object' },
    usage: orNull(usage),
  }),
  Tokens: object({
    count: whole,
    max_model_len: orNull(whole),
    tokens: listOf(whole),
    token_strs: orNull(listOf(text)),
  }),
  Prompt: object({ prompt: text }),
  Model: object(
    { id: text, object: ofKind('model'), created: whole, owned_by: text },
    {
      root: text,
      parent: orNull(text),
      version: text,
      max_model_len: orNull(whole),
      contract: text,
      capabilities,
      state: { enum: ['unloaded', 'not offered'] },
    },
  ),
  Models: object({ object: ofKind('list'), data: listOf({ $ref: '#/components/schemas/Model' }) }),
  Servers: object({
    object: ofKind('list'),
    data: listOf(
      object({
        id: text,
        object: ofKind('server'),
        kind: { enum: ['triton', 'managed', 'embedded'] },
        state: { enum: ['ready', 'slow-start', 'ejected', 'unreachable', 'unknown'] },
        ready: flag,
        running: whole,
        requests: whole,
        failures: whole,
        retried: whole,
        failure_rate: number,
        ejected_seconds: number,
        weight: number,
        first_response_ms: orNull(number),
        last_fault: orNull(object({ code: text, message: text, model: text, at: whole })),
        models: listOf(object({ name: text, state: text, breaker: { enum: ['closed', 'open', 'half-open'] } })),
      }),
    ),
  }),
  Unloaded: object({ status: ofKind('success'), model: text }),
  Live: object({ status: ofKind('live') }),
  Ready: object({ status: ofKind('ready') }),
  NotReady: object({ status: ofKind('not ready'), reason: text }),
  Document: object({ openapi: text, info: { type: 'object' }, paths: { type: 'object' } }),
};
