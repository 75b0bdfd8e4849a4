import { LocalResponse } from '../../src/kserve/local-response.ts';
import type { InferenceServer, InferResponse } from '../../src/kserve/server.ts';
import type { Responses } from '../../src/kserve/server-group.ts';

type Result = IteratorResult<InferResponse[]>;
/** What a server does when it is read: it answers, fails, ends, or waits until it is told what. */
export type Step = 'answer' | 'end' | 'wait' | Error;

/** A stream that does as it is told, step by step. */
class ScriptedStream implements Responses {
  readonly #server: ScriptedServer;
  readonly #steps: Step[];
  #waiting: { resolve(result: Result): void; reject(fault: unknown): void } | undefined;
  isLeft = false;

  constructor(server: ScriptedServer, steps: readonly Step[]) {
    this.#server = server;
    this.#steps = [...steps];
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.go(this.#steps.shift() ?? 'end');
    });
  }

  go(step: Step): void {
    const waiting = this.#waiting;
    if (step === 'wait' || !waiting) return;
    this.#waiting = undefined;
    if (step instanceof Error) waiting.reject(step);
    else if (step === 'end') waiting.resolve({ done: true, value: undefined });
    else waiting.resolve({ done: false, value: [this.#server.response()] });
  }

  async return(): Promise<Result> {
    this.isLeft = true;
    this.go('end');
    return { done: true, value: undefined };
  }

  async throw(fault: Error): Promise<Result> {
    this.isLeft = true;
    this.go(fault);
    return { done: true, value: undefined };
  }
}

/** A server whose inferences go by a script; it notes what was begun. */
export class ScriptedServer {
  readonly name: string;
  steps: readonly Step[];
  readonly streams: ScriptedStream[] = [];

  constructor(name: string, ...steps: readonly Step[]) {
    this.name = name;
    this.steps = steps;
  }

  /** Only its streams are asked for. */
  get server(): InferenceServer {
    return this as unknown as InferenceServer;
  }

  response(): InferResponse {
    return new LocalResponse({ model: 'm', version: this.name, id: '', outputs: [], final: false });
  }

  stream(): Responses {
    const stream = new ScriptedStream(this, this.steps);
    this.streams.push(stream);
    return stream;
  }
}
