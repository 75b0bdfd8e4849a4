/** A message between the primary and a worker, sent as JSON. */
export type Message =
  | { readonly kind: 'request'; readonly id: number; readonly name: string; readonly argument: unknown }
  | { readonly kind: 'response'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'error'; readonly id: number; readonly message: string }
  | { readonly kind: 'notification'; readonly name: string; readonly argument: unknown };

type Handler = (argument: unknown) => unknown;

interface PendingRequest {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * One end of a connection between two processes: sends and handles requests and notifications. All messages of a turn of
 * the event loop are sent together, because each send is expensive.
 */
export class Messenger {
  readonly #send: (messages: readonly Message[]) => void;
  readonly #handlers = new Map<string, Handler>();
  readonly #pending = new Map<number, PendingRequest>();
  #nextId = 0;
  #isClosed = false;
  #outbox: Message[] = [];

  constructor(send: (messages: readonly Message[]) => void) {
    this.#send = send;
  }

  /** Sets the handler of requests and notifications of a name. */
  on(name: string, handler: Handler): void {
    this.#handlers.set(name, handler);
  }

  /** Sends a request. Resolves to the response; rejects if the handler fails, or after so many milliseconds. */
  ask(name: string, argument?: unknown, { timeout }: { readonly timeout?: number } = {}): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(closed());
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      const timer = timeout === undefined ? undefined : setTimeout(() => expire(), timeout);
      const settled = (): void => {
        clearTimeout(timer);
        this.#pending.delete(id);
      };
      const expire = (): void => {
        settled();
        reject(new Error(`${name}: no response within ${timeout} ms.`));
      };
      this.#pending.set(id, {
        resolve: (value) => {
          settled();
          resolve(value);
        },
        reject: (error) => {
          settled();
          reject(error);
        },
      });
      this.#post({ kind: 'request', id, name, argument });
    });
  }

  notify(name: string, argument?: unknown): void {
    this.#post({ kind: 'notification', name, argument });
  }

  /** Handles messages from the other end. */
  receive(messages: unknown): void {
    for (const message of messages as readonly Message[]) this.#take(message);
  }

  #take(message: Message): void {
    switch (message.kind) {
      case 'request':
        void this.#respond(message);
        return;
      case 'notification':
        this.#handlers.get(message.name)?.(message.argument);
        return;
      case 'response':
        this.#pending.get(message.id)?.resolve(message.value);
        return;
      case 'error':
        this.#pending.get(message.id)?.reject(new Error(message.message));
        return;
    }
  }

  /** The other end is closed: pending requests fail. */
  close(): void {
    this.#isClosed = true;
    for (const { reject } of this.#pending.values()) reject(closed());
  }

  async #respond({ id, name, argument }: Extract<Message, { kind: 'request' }>): Promise<void> {
    let message: Message;
    try {
      const handler = this.#handlers.get(name);
      if (!handler) throw new Error(`No handler for ${name}.`);
      message = { kind: 'response', id, value: await handler(argument) };
    } catch (error) {
      message = { kind: 'error', id, message: error instanceof Error ? error.message : String(error) };
    }
    this.#post(message);
  }

  #post(message: Message): void {
    if (this.#isClosed) return;
    if (this.#outbox.length === 0) setImmediate(() => this.#flush());
    this.#outbox.push(message);
  }

  #flush(): void {
    const messages = this.#outbox;
    this.#outbox = [];
    if (!this.#isClosed) this.#send(messages);
  }
}

function closed(): Error {
  return new Error('The other process has ended.');
}
