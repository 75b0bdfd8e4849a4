import { dirname } from 'node:path';
import type { CallOptions, InferRequest, InferResponse } from '../../src/kserve/server.ts';
import { boolTensor, type Tensor, textTensor } from '../../src/kserve/tensors.ts';
import { EmbeddedServer, type EmbeddedServerOptions } from '../../src/servers/embedded/embedded-server.ts';
import type { EmbeddedModelOptions } from '../../src/servers/embedded/engine/load-model.ts';
import { defaultModel, fetchDefaultModel } from '../../src/servers/embedded/install/default-model.ts';
import { loadEngine } from '../../src/servers/embedded/install/install-engine.ts';
import { pulled } from '../support/pulled-responses.ts';

/** The folder that a Conch of this machine would keep its engine and its model in. */
export const cacheDir = dirname(process.env['CONCH_TEST_CACHE'] ?? missing('CONCH_TEST_CACHE'));

export const modelName = defaultModel.name;

/** SmolLM2, fetched once. */
export function modelFile(): Promise<string> {
  return fetchDefaultModel({ cacheDir, hub: { endpoint: 'https://huggingface.co' } });
}

/** A server with SmolLM2, loaded unless `loads` says no. */
export async function startEmbedded(
  model: Partial<EmbeddedModelOptions> = {},
  { loads = true, ...options }: Partial<EmbeddedServerOptions> & { readonly loads?: boolean } = {},
): Promise<EmbeddedServer> {
  const server = new EmbeddedServer({
    models: [{ name: modelName, file: await modelFile(), contextLength: 1024, ...model }],
    engine: { load: () => loadEngine({ cacheDir }) },
    version: '0.0.0',
    ...options,
  });
  const errors = loads ? await server.loadAll() : [];
  if (errors[0]) throw errors[0].error;
  return server;
}

/** What a test asks for; everything else is left to the engine's defaults. */
export interface Ask {
  readonly prompt?: string;
  readonly sampling?: Readonly<Record<string, unknown>>;
  readonly stream?: boolean;
  readonly model?: string;
  readonly id?: string;
  readonly inputs?: readonly Tensor[];
}

/** A request with every output wanted. */
export function request({
  prompt = chat('Hello'),
  sampling,
  stream = true,
  model = modelName,
  id = 'r',
  inputs = [],
}: Ask): InferRequest {
  return {
    model,
    id,
    inputs: [
      textTensor('text_input', [prompt]),
      boolTensor('stream', stream),
      boolTensor('exclude_input_in_output', true),
      ...['finish_reason', 'num_input_tokens', 'num_output_tokens'].map((name) => boolTensor(`return_${name}`, true)),
      ...(sampling ? [textTensor('sampling_parameters', [JSON.stringify(sampling)])] : []),
      ...(sampling?.['logprobs'] === undefined
        ? []
        : [boolTensor('return_logprobs', true), boolTensor('return_cumulative_logprob', true)]),
      ...inputs,
    ],
  };
}

/** A question in the form that SmolLM2 was trained on. */
export function chat(prompt: string, system = 'You are a helpful AI assistant.'): string {
  return `<|im_start|>system\n${system}<|im_end|>\n<|im_start|>user\n${prompt}<|im_end|>\n<|im_start|>assistant\n`;
}

/** An answer, folded. */
export interface Response {
  readonly text: string;
  readonly finish: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly responses: readonly InferResponse[];
}

/** Asks and waits for the whole answer. */
export async function ask(server: EmbeddedServer, option: Ask, options: CallOptions = {}): Promise<Response> {
  const responses = await collect(pulled(server, request(option), options));
  const last = responses.at(-1);
  return {
    text: responses.map((response) => response.text('text_output')).join(''),
    finish: last?.text('finish_reason') ?? '',
    inputTokens: last?.uint32('num_input_tokens') ?? -1,
    outputTokens: responses.reduce((sum, response) => sum + (response.uint32('num_output_tokens') ?? 0), 0),
    responses,
  };
}

/** All responses of a stream. */
export async function collect(stream: AsyncIterable<InferResponse[]>): Promise<InferResponse[]> {
  const responses: InferResponse[] = [];
  for await (const batch of stream) responses.push(...batch);
  return responses;
}

function missing(variable: string): never {
  throw new Error(`${variable} is not set: run the tests with npm test`);
}
