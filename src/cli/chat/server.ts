import type { ClientRequest, IncomingMessage } from 'node:http';
import { EventReader } from '../../bench/load/event-reader.ts';
import { errorText, refusalText } from '../../bench/load/response.ts';
import { type Caller, type Client, openCaller, openClient, type Target } from '../../bench/target.ts';
import { rowTasks } from '../../contracts/row-contracts.ts';
import { ChatResponse, type ResponsePart, type Usage } from './chat-response.ts';

/** What went wrong with a request, in one line. */
export class ChatError extends Error {
  override readonly name: string = 'ChatError';

  constructor(message: string) {
    super(message.replaceAll(/\s+/g, ' ').trim());
  }
}

/** The server is unreachable. */
export class ServerUnreachable extends ChatError {
  override readonly name = 'ServerUnreachable';
}

/** How long a response took, in milliseconds; `toFirst` is undefined for a response without parts. */
export interface Timing {
  readonly toFirst: number | undefined;
  readonly fromFirst: number;
}

/** A response, whole or up to where it was stopped. */
export interface ChatResult {
  readonly response: ChatResponse;
  readonly timing: Timing;
  readonly wasStopped: boolean;
}

interface AskOptions {
  /** Stops the response. */
  readonly signal: AbortSignal;
  readonly onPart: (part: ResponsePart) => void;
}

/** A server of OpenAI's API, as a chat uses it. */
export class ChatServer {
  readonly #target: Target;
  readonly #client: Client;
  readonly #call: Caller;
  /** Tokens of all responses so far. */
  #total: Usage = { prompt: 0, completion: 0 };
  last: ChatResult | undefined;

  constructor(target: Target) {
    this.#target = target;
    this.#client = openClient(target);
    this.#call = openCaller(target);
  }

  get origin(): string {
    return this.#target.origin;
  }

  get total(): Usage {
    return this.#total;
  }

  /** The models, first those that can chat; undefined if the server does not list them. Throws a ChatError, or an abort. */
  async models(signal: AbortSignal): Promise<readonly string[] | undefined> {
    const { status, body } = await this.#call('/v1/models', undefined, signal).catch((error: unknown) => {
      throw signal.aborted ? error : this.#unreachable(error);
    });
    const { data, error } = (body ?? {}) as { readonly data?: unknown; readonly error?: unknown };
    if (status === 401) throw new ChatError(this.#wantsKey(errorText(error ?? 'no reason given')));
    if (!Array.isArray(data)) return undefined;
    const models = data.filter(generatesText);
    return [...models.filter(hasTemplate), ...models.filter((model) => !hasTemplate(model))].map(({ id }) => id);
  }

  /** Sends a request and reads the response to its end. Throws a ChatError. */
  async ask(body: object, { signal, onPart }: AskOptions): Promise<ChatResult> {
    const response = new ChatResponse();
    const begin = performance.now();
    let first: number | undefined;
    let last = begin;
    const take = (data: string): void => {
      for (const part of response.take(data)) {
        last = performance.now();
        first ??= last;
        onPart(part);
      }
    };
    let wasStopped = false;
    let hasStarted = false;
    try {
      const incoming = await this.#send(body, signal);
      hasStarted = true;
      await this.#follow(incoming, take);
    } catch (error) {
      if (!signal.aborted) throw error instanceof ChatError ? error : this.#lost(error, hasStarted);
      wasStopped = true;
    }
    const timing = { toFirst: first === undefined ? undefined : first - begin, fromFirst: last - (first ?? last) };
    this.last = { response, timing, wasStopped };
    const { prompt = 0, completion = 0 } = response.usage ?? {};
    this.#total = { prompt: this.#total.prompt + prompt, completion: this.#total.completion + completion };
    if (response.error !== undefined) throw new ChatError(response.error);
    if (!wasStopped && response.finishReason === undefined)
      throw new ChatError('The stream ended before the response was complete.');
    return this.last;
  }

  close(): void {
    this.#client.close();
  }

  #send(body: object, signal: AbortSignal): Promise<IncomingMessage> {
    const headers = { ...this.#target.headers, 'content-type': 'application/json' };
    return new Promise((resolve, reject) => {
      const request: ClientRequest = this.#client.request('/v1/chat/completions', { method: 'POST', headers, signal });
      request.on('response', resolve);
      request.on('error', reject);
      request.end(JSON.stringify(body));
    });
  }

  async #follow(response: IncomingMessage, take: (data: string) => void): Promise<void> {
    const { statusCode: status = 0, headers } = response;
    const isStream = (headers['content-type'] ?? '').startsWith('text/event-stream');
    if (status === 200 && isStream) {
      const reader = new EventReader(take);
      for await (const bytes of response) reader.push(bytes as Buffer);
      reader.end();
      return;
    }
    let text = '';
    for await (const piece of response.setEncoding('utf8')) text += piece as string;
    if (status === 401) throw new ChatError(this.#wantsKey(refusalText(text)));
    if (status !== 200) throw new ChatError(`HTTP ${status}: ${refusalText(text)}`);
    take(text);
  }

  /** A connection that breaks in use had a server at its other end. */
  #lost(error: unknown, hasStarted: boolean): ChatError {
    const { code, message } = error as NodeJS.ErrnoException;
    if (!hasStarted && code !== 'ECONNRESET' && code !== 'EPIPE') return this.#unreachable(error);
    return new ChatError(
      `The connection to ${this.origin} closed before the response was complete: ${code ?? message}.`,
    );
  }

  #unreachable(error: unknown): ServerUnreachable {
    const { code, message } = error as NodeJS.ErrnoException;
    return new ServerUnreachable(`${this.origin} is unreachable: ${code ?? message}.`);
  }

  #wantsKey(reason: string): string {
    const refusal = 'authorization' in this.#target.headers ? 'rejected the API key' : 'needs an API key';
    return `${this.origin} ${refusal} (--api-key or CONCH_API_KEY): ${reason}`;
  }
}

interface ListedModel {
  readonly id: string;
  readonly capabilities?: { readonly chat?: unknown };
}

/** Conch lists what its models can do; other servers do not. */
function generatesText(model: unknown): model is ListedModel {
  if (typeof model !== 'object' || model === null || !('id' in model) || typeof model.id !== 'string') return false;
  return !('contract' in model && rowTasks.some((task) => task === model.contract));
}

/** Whether a model can chat now. For one that cannot, the server's error names what is missing. */
function hasTemplate({ capabilities }: ListedModel): boolean {
  return capabilities?.chat !== false;
}
