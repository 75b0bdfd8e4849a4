import { inject } from 'vitest';
import { type Conch, startConch } from './conch.ts';
import { tokenizerFolder } from './environment.ts';
import { borrowConch, type SharedConch } from './shared-conch.ts';

/** The flags that put Conch in front of the shared tritonserver, all models with the tokenizer of most. */
export function gatewayFlags(): string[] {
  const server = `127.0.0.1:${inject('triton').grpcPort}`;
  return ['--triton', server, '--tokenizer', tokenizerFolder('qwen3'), '--refresh-interval', '200ms'];
}

/** The flags that give `vllm-llama` its own tokenizer. To read one takes as long as all else at the start. */
export function llamaTokenizer(): string[] {
  return ['--tokenizer', `vllm-llama=${tokenizerFolder('llama3')}`];
}

/** A Conch of the test file's own in front of the shared tritonserver. */
export function startGateway(...flags: readonly string[]): Promise<Conch> {
  return startConch({ flags: [...gatewayFlags(), ...flags] });
}

/** A Conch in front of the shared tritonserver that all files with the same flags share. It is not theirs to stop. */
export function sharedGateway(...flags: readonly string[]): Promise<SharedConch> {
  return borrowConch(inject('conchHost'), [...gatewayFlags(), ...flags]);
}

/** An answer of the HTTP API. */
export interface Response {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // Whole answers are compared, so their shape is the test's business.
  readonly body: Record<string, unknown> & { error?: Record<string, unknown> };
}

/** POSTs JSON and reads the whole answer. */
export async function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : {} };
}

/** The data of each event of a server-sent stream; `[DONE]` stays a text. Comments, the signs of life, are left out. */
export function eventsOf(text: string): unknown[] {
  const events = text.split('\n\n');
  if (events.pop() !== '') throw new Error(`The stream ends inside an event: ${text.slice(-200)}`);
  return events.flatMap((event) => {
    if (event.startsWith(': ')) return [];
    if (!event.startsWith('data: ')) throw new Error(`Not an event: ${event}`);
    const data = event.slice('data: '.length);
    return data === '[DONE]' ? data : JSON.parse(data);
  });
}
