import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Conch, startConch } from '../support/conch.ts';
import { directive } from '../support/exchange.ts';
import { gatewayFlags, post, type Response } from '../support/gateway.ts';

/** A response as far as the tests look into it. */
export interface Wire {
  readonly id: string;
  readonly status: string;
  readonly output: readonly {
    readonly id: string;
    readonly type: string;
    readonly content?: readonly { readonly text: string }[];
    readonly name?: string;
    readonly arguments?: string;
    readonly call_id?: string;
  }[];
  readonly previous_response_id: string | null;
  readonly store: boolean;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly usage: Record<string, unknown> | null;
}

/** An event of a streamed response. */
export interface WireEvent {
  readonly type: string;
  readonly sequence_number: number;
  readonly response?: Wire;
  readonly delta?: string;
}

export interface Stored extends Conch {
  /** Where its responses are. */
  readonly place: string;
}

/** A Conch in front of the shared tritonserver that keeps its responses in a folder of its own, or in a given place. */
export async function startKeeping({
  place: location,
  flags = [],
}: {
  place?: string;
  flags?: readonly string[];
} = {}): Promise<Stored & { end: () => Promise<void> }> {
  const folder = location === undefined ? mkdtempSync(join(tmpdir(), 'conch-responses-')) : undefined;
  const store = location ?? `sqlite:${join(folder as string, 'responses.sqlite')}`;
  const conch = await startConch({ flags: [...gatewayFlags(), '--store', store, ...flags] });
  const end = async (): Promise<void> => {
    await conch.stop();
    if (folder) rmSync(folder, { recursive: true });
  };
  return { ...conch, place: store, end };
}

export function respond(url: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return post(`${url}/v1/responses`, { model: 'vllm-toy', max_output_tokens: 1000, ...body }, headers);
}

/** A response to a request that must succeed. */
export async function responseTo(url: string, body: object, headers: Record<string, string> = {}): Promise<Wire> {
  const response = await respond(url, body, headers);
  if (response.status !== 200) throw new Error(response.text);
  return response.body as unknown as Wire;
}

export const saying = (response: string) => directive({ answer: response });
export const showingPrompt = directive({ echo_prompt: true });

export function textOf({ output }: Pick<Wire, 'output'>): string {
  return output
    .flatMap(({ type, content = [] }) => (type === 'message' ? content.map(({ text }) => text) : []))
    .join('');
}

/** The typed events of a stream. */
export function eventsIn(text: string): WireEvent[] {
  const events = text.split('\n\n');
  if (events.pop() !== '') throw new Error(`The stream ends inside an event: ${text.slice(-200)}`);
  return events.map((event) => {
    const [name = '', data = ''] = event.split('\n');
    const parsed = JSON.parse(data.slice('data: '.length)) as WireEvent;
    if (name !== `event: ${parsed.type}`) throw new Error(`The event's name is not its type: ${event}`);
    return parsed;
  });
}

export async function get(url: string, path: string, headers: Record<string, string> = {}): Promise<Response> {
  const response = await fetch(`${url}${path}`, { headers });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : {} };
}
