import { randomUUID } from 'node:crypto';
import type { InferRequest, InferResponse } from '../../src/kserve/server.ts';
import { StatusError } from '../../src/kserve/status.ts';
import { boolTensor, textTensor } from '../../src/kserve/tensors.ts';
import type { ChannelOptions } from '../../src/servers/remote/channel.ts';
import { RemoteServer } from '../../src/servers/remote/remote-server.ts';
import { directive } from '../support/exchange.ts';
import { pulled } from '../support/pulled-responses.ts';

/** A client of whatever listens on a port of this machine. */
export function remoteServer(port: number, options: Partial<ChannelOptions> = {}): RemoteServer {
  return new RemoteServer({
    host: '127.0.0.1',
    port,
    connectTimeout: 5_000,
    keepaliveInterval: 300_000,
    maxMessageSize: 2 ** 31 - 1,
    metadata: {},
    ...options,
  });
}

/** A streamed request to a toy model, steered by a directive (or asked a plain prompt). */
export function toyRequest(prompt: string | Readonly<Record<string, unknown>>, maxTokens = 1_000_000): InferRequest {
  return {
    model: 'vllm-toy',
    id: randomUUID(),
    inputs: [
      textTensor('text_input', [typeof prompt === 'string' ? prompt : directive(prompt)]),
      textTensor('sampling_parameters', [JSON.stringify({ max_tokens: maxTokens })]),
      boolTensor('stream', true),
    ],
  };
}

/** All batches of a stream. */
export async function batchesOf(stream: AsyncIterable<InferResponse[]>): Promise<InferResponse[][]> {
  const batches: InferResponse[][] = [];
  for await (const batch of stream) batches.push(batch);
  return batches;
}

/** The texts of all responses of a stream, in their order. */
export async function textsOf(stream: AsyncIterable<InferResponse[]>): Promise<string[]> {
  return (await batchesOf(stream)).flat().map((response) => response.text('text_output') ?? 'no text');
}

/** What the toy has counted for the request of a tag, once the condition holds. */
export async function countOf(
  server: RemoteServer,
  tag: string,
  condition: { readonly until?: string; readonly until_tokens?: number },
): Promise<{ tokens: number; state: string }> {
  const texts = await textsOf(pulled(server, toyRequest({ count_of: tag, ...condition })));
  const counted: { tokens: number; state: string } = JSON.parse(texts.join(''));
  return counted;
}

/** A failed call as its caller sees it. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly unreachable: boolean;
}

/** How an action fails; anything but a StatusError is thrown on. */
export async function errorOf(action: Promise<unknown>): Promise<Failure> {
  try {
    await action;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const { code, message, unreachable } = error;
    return { code, message, unreachable };
  }
  throw new Error('The action did not fail.');
}
