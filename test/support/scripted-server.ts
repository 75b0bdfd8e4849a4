import { LocalResponse } from '../../src/kserve/local-response.ts';
import type { InferenceServer, InferResponse, ResponseSink, RunningInference } from '../../src/kserve/server.ts';

/** What a server does next: it answers, fails, ends, or waits until it is told what. */
export type Step = 'answer' | 'end' | 'wait' | Error;

/** An inference that goes by a script, step by step, while it is not paused. */
class ScriptedInference implements RunningInference {
  readonly #server: ScriptedServer;
  readonly #sink: ResponseSink;
  readonly #steps: Step[];
  #isPaused = false;
  #isOver = false;
  isLeft = false;

  constructor(server: ScriptedServer, steps: readonly Step[], sink: ResponseSink) {
    this.#server = server;
    this.#steps = [...steps];
    this.#sink = sink;
    queueMicrotask(() => this.#go());
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    queueMicrotask(() => this.#go());
  }

  cancel(error?: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.isLeft = true;
    if (error !== undefined) this.#sink.end(error);
  }

  /** Ends a wait with a step. */
  go(step: Step): void {
    this.#steps.shift();
    this.#take(step);
    queueMicrotask(() => this.#go());
  }

  #take(step: Step): void {
    if (step === 'wait' || this.#isOver) return;
    if (step === 'answer') this.#sink.response(this.#server.response());
    else {
      this.#isOver = true;
      this.#sink.end(step === 'end' ? undefined : step);
    }
  }

  #go(): void {
    while (!this.#isPaused && !this.#isOver && this.#steps[0] !== 'wait') this.#take(this.#steps.shift() ?? 'end');
  }
}

/** A server whose inferences go by a script; it notes what was begun. */
export class ScriptedServer {
  readonly name: string;
  steps: readonly Step[];
  readonly streams: ScriptedInference[] = [];

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

  stream(_request: unknown, sink: ResponseSink): RunningInference {
    const stream = new ScriptedInference(this, this.steps, sink);
    this.streams.push(stream);
    return stream;
  }
}
