import { directive } from '../support/exchange.ts';
import { eventsOf, post, type Response } from '../support/gateway.ts';

/** A conversation of one message. */
export function user(content: string) {
  return [{ role: 'user', content }];
}

interface Choice {
  readonly index: number;
  readonly text?: string;
  readonly message?: { readonly content: string };
  readonly delta?: { readonly content?: string };
  readonly finish_reason: string | null;
}

/** The text of each choice of an unstreamed answer, in either API. */
export function textsOf({ body }: Response): string[] {
  return (body['choices'] as Choice[]).map((choice) => choice.text ?? choice.message?.content ?? '');
}

/** The text and the finish reasons of each choice of a stream, in either API; the stream must end as it should. */
export function streamedChoices({ text }: Pick<Response, 'text'>): { text: string; reasons: string[] }[] {
  const events = eventsOf(text);
  if (events.pop() !== '[DONE]') throw new Error(`The stream does not end with [DONE]: ${text.slice(-300)}`);
  const choices: { text: string; reasons: string[] }[] = [];
  for (const event of events as { choices: Choice[] }[])
    for (const { index, text: piece, delta, finish_reason: reason } of event.choices) {
      choices[index] ??= { text: '', reasons: [] };
      choices[index].text += piece ?? delta?.content ?? '';
      if (reason !== null) choices[index].reasons.push(reason);
    }
  return choices;
}

/** What a toy model was sent. */
export interface Received {
  readonly sampling_parameters: Readonly<Record<string, unknown>>;
  readonly inputs: Readonly<Record<string, readonly unknown[]>>;
}

/** What arrived for each choice of an answer to the directive echo_parameters, streamed or not. */
export function receivedFor(response: Response): Received[] {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  const texts = isStream ? streamedChoices(response).map(({ text }) => text) : textsOf(response);
  return texts.map((text) => JSON.parse(text.slice(text.indexOf('{"sampling_parameters"'))) as Received);
}

/** How far the request with this tag has come in the toy model, asked for once it is in this state. */
export async function countOf(
  url: string,
  tag: string,
  { model = 'vllm-toy', ...until }: { model?: string; until?: string; until_tokens?: number } = {},
): Promise<{ tokens: number; state: string }> {
  const prompt = directive({ count_of: tag, ...until });
  const [text = ''] = textsOf(await post(`${url}/v1/completions`, { model, prompt }));
  return JSON.parse(text) as { tokens: number; state: string };
}

/** A request whose answer is read piece by piece, and whose client can leave. */
export interface Started {
  /** Resolves when the answer so far holds this text. */
  readonly until: (text: string) => Promise<void>;
  /** The whole answer. */
  readonly whole: () => Promise<string>;
  /** Leaves, and waits until the connection is gone on this side. */
  readonly leave: () => Promise<void>;
}

/** Starts a request without waiting for its answer. */
export function begin(url: string, body: object, headers: Record<string, string> = {}): Started {
  const controller = new AbortController();
  let seen = '';
  let wake = (): void => undefined;
  const read = async (): Promise<string> => {
    const { signal } = controller;
    const sent = { 'content-type': 'application/json', ...headers };
    const response = await fetch(url, { method: 'POST', headers: sent, body: JSON.stringify(body), signal });
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      seen += piece;
      wake();
    }
    return seen;
  };
  const result = read();
  result.catch(() => undefined);
  const until = async (text: string): Promise<void> => {
    const ended = result.then(
      () => true,
      () => true,
    );
    while (!seen.includes(text)) {
      const piece = new Promise<boolean>((resolve) => {
        wake = () => resolve(false);
      });
      const isOver = await Promise.race([piece, ended]);
      if (isOver && !seen.includes(text)) throw new Error(`The answer ended without ${text}: ${seen}`);
    }
  };
  const leave = async (): Promise<void> => {
    controller.abort();
    await result.then(
      () => Promise.reject(new Error('The answer was complete before its client left')),
      () => undefined,
    );
  };
  return { until, whole: () => result, leave };
}

/** Lets the request with this tag, which waits at its hold_at, go on. */
export async function release(url: string, tag: string, model = 'vllm-toy'): Promise<void> {
  await post(`${url}/v1/completions`, { model, prompt: directive({ release: tag }) });
}

let heldStreams = 0;

/**
 * The whole stream that answers a request whose client has seen some text before the rest of it was made, however busy the
 * machine is. The request is given as a function of what its directive must say.
 */
export async function readInTwoParts(
  url: string,
  requestWith: (orders: Readonly<Record<string, unknown>>) => { readonly model: string },
): Promise<string> {
  const tag = `two-parts-${process.pid}-${++heldStreams}`;
  const request = requestWith({ tag, hold_at: 3 });
  const stream = begin(`${url}/v1/completions`, { ...request, stream: true });
  await stream.until('"text":"');
  await release(url, tag, request.model);
  return stream.whole();
}
