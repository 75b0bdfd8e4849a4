import type { Adapter } from './adapters.ts';
import { commonPrefix, type LoopJob, planBatch, type Share, type Slot } from './batch-plan.ts';
import type { ContextBinding } from './engine-types.ts';
import { engineFailed, queueFull } from './status-errors.ts';

/** The counters of the loop. */
export interface LoopFigures {
  batches: number;
  /** Batches with more than one request. */
  sharedBatches: number;
  evaluatedTokens: number;
  reusedTokens: number;
  sampledTokens: number;
}

interface LoopOptions {
  readonly context: ContextBinding;
  readonly sequences: number;
  readonly batchSize: number;
  /** Requests that may wait for a sequence. */
  readonly queueSize: number;
  /** Switches the adapter of the whole context. */
  useAdapter(adapter: Adapter | undefined): void;
  /** Runs one evaluation while no other model of this process runs one: their threads would spin against each other. */
  exclusively(work: () => Promise<void>): Promise<void>;
}

/**
 * Continuous batching: every request has a sequence of the one context. Each batch contains the next token of every
 * running request and parts of the prompts of new ones. Requests join and leave between two batches.
 */
export class DecodeLoop {
  readonly figures: LoopFigures = {
    batches: 0,
    sharedBatches: 0,
    evaluatedTokens: 0,
    reusedTokens: 0,
    sampledTokens: 0,
  };
  readonly #options: LoopOptions;
  readonly #slots: readonly Slot[];
  readonly #waiting: LoopJob[] = [];
  #isRunning = false;
  #clock = 0;
  #adapter: Adapter | undefined;

  constructor(options: LoopOptions) {
    this.#options = options;
    this.#slots = Array.from({ length: options.sequences }, (_, sequence) => ({
      sequence,
      tokens: [],
      adapter: undefined,
      job: undefined,
      pending: [],
      lastUsed: 0,
    }));
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  get active(): number {
    return this.#slots.filter(({ job }) => job).length;
  }

  /** Throws if all sequences are busy and the queue is full. */
  checkCapacity(): void {
    const free = this.#slots.length - this.active;
    if (this.#waiting.length >= free + this.#options.queueSize) throw queueFull();
  }

  /** Adds a job; throws if the queue is full. */
  submit(job: LoopJob): void {
    this.checkCapacity();
    this.#waiting.push(job);
    this.wake();
  }

  /** Checks the jobs again after one ended or resumed. */
  wake(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    void this.#run().finally(() => {
      this.#isRunning = false;
      // A job may have arrived since the last check.
      if (this.#hasWork()) this.wake();
    });
  }

  async #run(): Promise<void> {
    for (;;) {
      this.#release();
      this.#admit();
      const runnable = this.#slots.filter(isRunnable);
      if (runnable.length === 0) return;
      const adapter = nextAdapter(runnable, this.#adapter);
      const shares = planBatch(
        runnable.filter((slot) => slot.adapter === adapter),
        this.#options.batchSize,
      );
      try {
        await this.#options.exclusively(() => this.#evaluate(shares, adapter));
      } catch (error) {
        for (const { slot } of shares) {
          slot.job?.fail(engineFailed(error));
          this.#clear(slot);
        }
      }
    }
  }

  async #evaluate(shares: readonly Share[], adapter: Adapter | undefined): Promise<void> {
    const { context } = this.#options;
    if (adapter !== this.#adapter) this.#switchTo(adapter);
    context.initBatch(shares.reduce((sum, { count }) => sum + count, 0));
    const logitIndexes = shares.map(({ slot, count }) => {
      const isLast = count === slot.pending.length;
      const ids = Uint32Array.from(slot.pending.slice(0, count));
      const logits = isLast ? Uint32Array.of(count - 1) : new Uint32Array(0);
      return context.addToBatch(slot.sequence, slot.tokens.length, ids, logits)[0];
    });
    await context.decodeBatch();
    this.figures.batches += 1;
    if (shares.length > 1) this.figures.sharedBatches += 1;
    await Promise.all(shares.map((share, index) => this.#advance(share, logitIndexes[index])));
  }

  async #advance({ slot, count }: Share, at: number | undefined): Promise<void> {
    this.figures.evaluatedTokens += count;
    for (const id of slot.pending.slice(0, count)) slot.tokens.push(id);
    slot.pending = slot.pending.slice(count);
    const { job } = slot;
    if (at === undefined || !job || job.isOver) return;
    try {
      this.figures.sampledTokens += 1;
      const next = await job.advance(this.#options.context, at);
      if (next !== undefined) slot.pending = [next];
    } catch (error) {
      job.fail(engineFailed(error));
    }
  }

  /** Frees the sequences of ended jobs. Their tokens stay for the next turn of the conversation. */
  #release(): void {
    for (const slot of this.#slots) {
      if (!slot.job?.isOver) continue;
      slot.job = undefined;
      slot.pending = [];
      slot.lastUsed = ++this.#clock;
    }
    for (let index = this.#waiting.length - 1; index >= 0; index--)
      if (this.#waiting[index]?.isOver) this.#waiting.splice(index, 1);
  }

  #admit(): void {
    for (;;) {
      const [job] = this.#waiting;
      const slot = job && this.#bestSlot(job);
      if (!slot) return;
      this.#waiting.shift();
      this.#assign(slot, job);
    }
  }

  /** The free sequence with the longest common prefix with the prompt; among equals, the least recently used. */
  #bestSlot(job: LoopJob): Slot | undefined {
    let best: Slot | undefined;
    let bestLength = -1;
    for (const slot of this.#slots) {
      if (slot.job) continue;
      const length = slot.adapter === job.adapter ? commonPrefix(slot.tokens, job.prompt) : 0;
      if (length > bestLength || (length === bestLength && slot.lastUsed < (best?.lastUsed ?? 0))) {
        best = slot;
        bestLength = length;
      }
    }
    return best;
  }

  #assign(slot: Slot, job: LoopJob): void {
    // The last token is always evaluated: the first generated token comes from its logits.
    const shared = slot.adapter === job.adapter ? commonPrefix(slot.tokens, job.prompt) : 0;
    const reused = Math.min(shared, job.prompt.length - 1);
    if (reused === 0) this.#clear(slot);
    else if (reused < slot.tokens.length) this.#truncate(slot, reused);
    slot.adapter = job.adapter;
    slot.job = job;
    slot.pending = job.prompt.slice(slot.tokens.length);
    this.figures.reusedTokens += slot.tokens.length;
    job.begin(slot.tokens.length);
  }

  #truncate(slot: Slot, length: number): void {
    const { context } = this.#options;
    // Recurrent models cannot forget only the end.
    if (!context.removeTokenCellsFromSequence(slot.sequence, length, -1)) this.#clear(slot);
    else slot.tokens.length = length;
  }

  #clear(slot: Slot): void {
    if (slot.tokens.length > 0 || slot.pending.length > 0) this.#options.context.disposeSequence(slot.sequence);
    slot.tokens.length = 0;
    slot.pending = [];
  }

  #switchTo(adapter: Adapter | undefined): void {
    this.#options.useAdapter(adapter);
    this.#adapter = adapter;
  }

  #hasWork(): boolean {
    if (this.#slots.some(isRunnable)) return true;
    return this.#waiting.length > 0 && this.#slots.some(({ job }) => !job || job.isOver);
  }
}

function isRunnable({ job, pending }: Slot): boolean {
  return job !== undefined && !job.isOver && !job.isPaused && pending.length > 0;
}

/** Adapters take turns, each for one batch. */
function nextAdapter(slots: readonly Slot[], last: Adapter | undefined): Adapter | undefined {
  const all = [...new Set(slots.map(({ adapter }) => adapter))];
  return all[(all.indexOf(last) + 1) % all.length];
}
