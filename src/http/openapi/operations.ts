import type { z } from 'zod';
import { CountTokensRequest, MessagesRequest } from '../../apis/anthropic/messages-request.ts';
import {
  OllamaChatRequest,
  OllamaEmbeddingsRequest,
  OllamaEmbedRequest,
  OllamaGenerateRequest,
  OllamaShowRequest,
} from '../../apis/ollama/requests.ts';
import { LoadRequest, UnloadRequest } from '../../apis/openai/lora-routes.ts';
import { FollowQuery } from '../../apis/openai/responses/follow-query.ts';
import { ItemPageQuery } from '../../apis/openai/responses/item-page.ts';
import { ResponsesRequest } from '../../apis/openai/responses/responses-request.ts';
import { ChatRequest } from '../../requests/chat-request.ts';
import { CompletionRequest } from '../../requests/completion-request.ts';
import { EmbeddingRequest } from '../../requests/embedding-request.ts';
import { RerankRequest } from '../../requests/rerank-request.ts';
import { ApplyTemplateRequest, DetokenizeRequest, TokenizeRequest } from '../../requests/tokenize-request.ts';

/** The bodies that requests bring, by the names that they have in the document. */
export const requestSchemas: Readonly<Record<string, z.ZodType>> = {
  ChatRequest,
  CompletionRequest,
  ResponsesRequest,
  MessagesRequest,
  CountTokensRequest,
  OllamaChatRequest,
  OllamaGenerateRequest,
  OllamaEmbedRequest,
  OllamaEmbeddingsRequest,
  OllamaShowRequest,
  EmbeddingRequest,
  RerankRequest,
  TokenizeRequest,
  DetokenizeRequest,
  ApplyTemplateRequest,
  LoadRequest,
  UnloadRequest,
};

/** One thing that can be asked for. */
export interface Operation {
  readonly method: 'get' | 'post' | 'delete';
  readonly path: string;
  /** How the router writes it, where it is not the path with other brackets. */
  readonly route?: string;
  readonly tag: string;
  readonly summary: string;
  /** The name of the schema of its body. */
  readonly body?: string;
  readonly query?: z.ZodObject;
  /** The name of the schema of its answer, or a plain text, or a page. */
  readonly answer: string;
  /** Whether it may answer as server-sent events too, or as lines of JSON. */
  readonly streams?: true | 'lines';
  readonly example?: unknown;
}

const model = 'llama';
const messages = [{ role: 'user', content: 'Why is the sky blue?' }];

const generation = [
  {
    method: 'post',
    path: '/v1/chat/completions',
    summary: 'Answers a conversation.',
    body: 'ChatRequest',
    answer: 'ChatCompletion',
    streams: true,
    example: { model, messages, max_tokens: 64 },
  },
  {
    method: 'post',
    path: '/v1/completions',
    summary: 'Goes on with a text.',
    body: 'CompletionRequest',
    answer: 'Completion',
    streams: true,
    example: { model, prompt: 'The sky is', max_tokens: 16 },
  },
  {
    method: 'post',
    path: '/v1/responses',
    summary: 'Answers items, and keeps the answer.',
    body: 'ResponsesRequest',
    answer: 'Response',
    streams: true,
    example: { model, input: 'Why is the sky blue?' },
  },
  {
    method: 'post',
    path: '/v1/responses/input_tokens',
    summary: 'Counts the tokens that a response would read.',
    body: 'ResponsesRequest',
    answer: 'InputTokens',
    example: { model, input: 'Why is the sky blue?' },
  },
  {
    method: 'get',
    path: '/v1/responses/{id}',
    summary: 'Gives a response that was kept.',
    query: FollowQuery,
    answer: 'Response',
    streams: true,
  },
  { method: 'delete', path: '/v1/responses/{id}', summary: 'Forgets a response.', answer: 'DeletedResponse' },
  {
    method: 'post',
    path: '/v1/responses/{id}/cancel',
    summary: 'Ends a response that is made in the background.',
    answer: 'Response',
  },
  {
    method: 'get',
    path: '/v1/responses/{id}/input_items',
    summary: 'Lists what a response was asked with.',
    query: ItemPageQuery,
    answer: 'ItemPage',
  },
  {
    method: 'post',
    path: '/v1/messages',
    summary: "Answers a conversation, for Anthropic's clients.",
    body: 'MessagesRequest',
    answer: 'Message',
    streams: true,
    example: { model, messages, max_tokens: 64 },
  },
  {
    method: 'post',
    path: '/v1/messages/count_tokens',
    summary: "Counts the tokens of a conversation, for Anthropic's clients.",
    body: 'CountTokensRequest',
    answer: 'MessageTokens',
    example: { model, messages },
  },
] as const;

const ollama = [
  {
    method: 'post',
    path: '/api/chat',
    summary: "Answers a conversation, for Ollama's clients.",
    body: 'OllamaChatRequest',
    answer: 'OllamaChat',
    streams: 'lines',
    example: { model, messages, stream: false, options: { num_predict: 64 } },
  },
  {
    method: 'post',
    path: '/api/generate',
    summary: "Answers a prompt, for Ollama's clients.",
    body: 'OllamaGenerateRequest',
    answer: 'OllamaGeneration',
    streams: 'lines',
    example: { model, prompt: 'Why is the sky blue?', stream: false, options: { num_predict: 64 } },
  },
  {
    method: 'post',
    path: '/api/embed',
    summary: "Gives the vectors of texts, for Ollama's clients.",
    body: 'OllamaEmbedRequest',
    answer: 'OllamaEmbeddings',
    example: { model: 'minilm', input: ['a text', 'another'] },
  },
  {
    method: 'post',
    path: '/api/embeddings',
    summary: "Gives the vector of a text, for Ollama's older clients.",
    body: 'OllamaEmbeddingsRequest',
    answer: 'OllamaEmbedding',
    example: { model: 'minilm', prompt: 'a text' },
  },
  {
    method: 'post',
    path: '/api/show',
    summary: "Describes a model, for Ollama's clients.",
    body: 'OllamaShowRequest',
    answer: 'OllamaModel',
    example: { model },
  },
  {
    method: 'get',
    path: '/api/tags',
    summary: "Lists the models that are served, for Ollama's clients.",
    answer: 'OllamaModels',
  },
  {
    method: 'get',
    path: '/api/ps',
    summary: "Lists the models that are loaded, for Ollama's clients.",
    answer: 'OllamaModels',
  },
  {
    method: 'get',
    path: '/api/version',
    summary: "Says which version of Ollama's API this is.",
    answer: 'OllamaVersion',
  },
  ...(['/api/pull', '/api/push', '/api/create', '/api/copy', '/api/blobs/{digest}'] as const).map(
    (path) => ({ method: 'post', path, summary: 'Not offered; it says what to do instead.', answer: 'any' }) as const,
  ),
  { method: 'delete', path: '/api/delete', summary: 'Not offered; it says what to do instead.', answer: 'any' },
] as const;

const vectors = [
  {
    method: 'post',
    path: '/v1/embeddings',
    summary: 'Gives the vectors of texts.',
    body: 'EmbeddingRequest',
    answer: 'Embeddings',
    example: { model: 'minilm', input: ['a text', 'another'] },
  },
  ...(['/v1/rerank', '/rerank', '/v2/rerank'] as const).map(
    (path) =>
      ({
        method: 'post',
        path,
        summary: 'Ranks documents by how well they fit a query.',
        body: 'RerankRequest',
        answer: 'Ranking',
        example: { model: 'ranker', query: 'sky', documents: ['The sky is blue.', 'Grass is green.'] },
      }) as const,
  ),
] as const;

const tokens = ['', '/v1'].flatMap(
  (prefix) =>
    [
      {
        method: 'post',
        path: `${prefix}/tokenize`,
        summary: 'Gives the tokens of a text or a conversation.',
        body: 'TokenizeRequest',
        answer: 'Tokens',
        example: { model, prompt: 'The sky is' },
      },
      {
        method: 'post',
        path: `${prefix}/detokenize`,
        summary: 'Gives the text of tokens.',
        body: 'DetokenizeRequest',
        answer: 'Prompt',
        example: { model, tokens: [1, 2, 3] },
      },
      {
        method: 'post',
        path: `${prefix}/apply-template`,
        summary: 'Gives the prompt of a conversation.',
        body: 'ApplyTemplateRequest',
        answer: 'Prompt',
        example: { model, messages },
      },
    ] as const,
);

const models = ['/v1/models', '/models'].flatMap(
  (path) =>
    [
      { method: 'get', path, summary: 'Lists the models that are served.', answer: 'Models' },
      { method: 'post', path, summary: 'Lists the models that are served.', answer: 'Models' },
      { method: 'get', path: `${path}/{id}`, route: `${path}/*`, summary: 'Describes a model.', answer: 'Model' },
      { method: 'post', path: `${path}/{id}`, route: `${path}/*`, summary: 'Describes a model.', answer: 'Model' },
      {
        method: 'post',
        path: `${path}/{id}/load`,
        route: `${path}/*`,
        summary: 'Loads a model.',
        answer: 'Model',
        streams: true,
      },
      {
        method: 'post',
        path: `${path}/{id}/unload`,
        route: `${path}/*`,
        summary: 'Unloads a model.',
        answer: 'Unloaded',
        streams: true,
      },
    ] as const,
);

const adapters = [
  {
    method: 'post',
    path: '/v1/load_lora_adapter',
    summary: 'Loads a LoRA adapter from a folder below --lora-root.',
    body: 'LoadRequest',
    answer: 'text',
    example: { lora_name: 'pirate', lora_path: 'pirate' },
  },
  {
    method: 'post',
    path: '/v1/unload_lora_adapter',
    summary: 'Forgets a LoRA adapter.',
    body: 'UnloadRequest',
    answer: 'text',
    example: { lora_name: 'pirate' },
  },
] as const;

const servers = [
  {
    method: 'get',
    path: '/v1/servers',
    summary: 'Lists the servers behind this one, and how they do.',
    answer: 'Servers',
  },
  { method: 'get', path: '/metrics', summary: 'Gives the metrics, for Prometheus.', answer: 'text' },
] as const;

const health = [
  { method: 'get', path: '/health/live', summary: 'Says that the process runs.', answer: 'Live' },
  ...['/health', '/health/ready', '/v1/health/ready', '/health_check'].map(
    (path) => ({ method: 'get', path, summary: 'Says whether requests can be answered.', answer: 'Ready' }) as const,
  ),
  { method: 'get', path: '/openapi.json', summary: 'This document.', answer: 'Document' },
  { method: 'get', path: '/docs', summary: 'This document as a page to read.', answer: 'page' },
] as const;

/** Everything that can be asked for; a route that is not here is in the document without details. */
export const operations: readonly Operation[] = Object.entries({
  generation,
  ollama,
  vectors,
  tokens,
  models,
  adapters,
  servers,
  health,
}).flatMap(([tag, rows]) => rows.map((row) => ({ ...row, tag })));
