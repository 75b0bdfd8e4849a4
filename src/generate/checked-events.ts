import type { TokenLogprob } from '../contracts/contract.ts';
import {
  type EventSink,
  type GenerateEvent,
  type Generation,
  giveEvent,
  type OtherEvent,
  type RunningGeneration,
} from '../contracts/events.ts';
import type { ResponseCheck } from './response-check.ts';
import { type Emulation, invalidResponse, undecided } from './structured-emulation.ts';

interface CheckOptions {
  readonly emulation: Emulation;
  /** A new check for a choice. */
  readonly newCheck: (choice: number) => ResponseCheck;
}

type Finish = Extract<GenerateEvent, { type: 'finish' }>;

/**
 * Responses that are checked as they come: the first wrong character is an error. A worker thread checks a whole
 * response; its finish, and what arrives meanwhile, waits for the verdict.
 */
export class CheckedEvents implements Generation, RunningGeneration, EventSink {
  readonly #source: Generation;
  readonly #options: CheckOptions;
  readonly #checks = new Map<number, ResponseCheck>();
  #sink: EventSink | undefined;
  #running: RunningGeneration | undefined;
  /** Events that wait for a verdict; undefined: no verdict is pending. */
  #waiting: GenerateEvent[] | undefined;
  #isPaused = false;
  #hasEnded = false;
  #isOver = false;

  constructor(source: Generation, options: CheckOptions) {
    this.#source = source;
    this.#options = options;
  }

  start(sink: EventSink): this {
    this.#sink = sink;
    this.#running = this.#source.start(this);
    return this;
  }

  text(choice: number, text: string, tokens: number, logprobs: readonly TokenLogprob[] | undefined): void {
    if (this.#isOver) return;
    if (this.#waiting) this.#waiting.push({ type: 'text-delta', choice, text, tokens, logprobs });
    else if (this.#passes(this.#checkOf(choice).text(text))) this.#sink?.text(choice, text, tokens, logprobs);
  }

  event(event: OtherEvent): void {
    if (this.#isOver) return;
    if (this.#waiting) this.#waiting.push(event);
    else if (event.type === 'finish') this.#judge(event);
    else {
      if (event.type === 'tool-call-delta') this.#checkOf(event.choice).call(event);
      this.#sink?.event(event);
    }
  }

  end(): void {
    this.#hasEnded = true;
    this.#endIfDone();
  }

  fail(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#sink?.fail(error);
  }

  pause(): void {
    this.#isPaused = true;
    this.#running?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    if (!this.#waiting) this.#running?.resume();
  }

  cancel(): void {
    this.#isOver = true;
    this.#running?.cancel();
  }

  #checkOf(choice: number): ResponseCheck {
    let check = this.#checks.get(choice);
    if (!check) {
      check = this.#options.newCheck(choice);
      this.#checks.set(choice, check);
    }
    return check;
  }

  #judge(finish: Finish): void {
    const { emulation } = this.#options;
    this.#waiting = [];
    this.#running?.pause();
    this.#checkOf(finish.choice)
      .end(finish.reason)
      .then((verdict) => {
        if (verdict.kind === 'undecided') this.#reject(undecided(emulation, verdict.message));
        else if (this.#passes(verdict.kind === 'invalid' ? verdict.message : undefined)) this.#goOn(finish);
      })
      .catch((error: unknown) => this.#reject(error));
  }

  /** Emits a finish whose verdict has come, and what arrived meanwhile, up to the next finish. */
  #goOn(finish: Finish): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    this.#sink?.event(finish);
    for (const event of waiting) giveEvent(event, this);
    if (this.#waiting) return;
    if (!this.#isPaused) this.#running?.resume();
    this.#endIfDone();
  }

  #endIfDone(): void {
    if (!this.#hasEnded || this.#waiting || this.#isOver) return;
    this.#isOver = true;
    this.#sink?.end();
  }

  /** Whether there is no violation; one ends the generation. */
  #passes(violation: string | undefined): boolean {
    if (violation !== undefined) this.#reject(invalidResponse(this.#options.emulation, violation, 1));
    return !this.#isOver;
  }

  #reject(error: unknown): void {
    if (this.#isOver) return;
    this.cancel();
    this.#sink?.fail(error);
  }
}
