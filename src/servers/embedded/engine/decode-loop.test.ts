import { describe, expect, it } from 'vitest';
import type { Adapter } from './adapters.ts';
import { commonPrefix, type LoopJob, planBatch, type Slot } from './batch-plan.ts';
import { DecodeLoop } from './decode-loop.ts';
import type { ContextBinding } from './engine-types.ts';

/** A context that records its calls; the token after n is n + 1. */
class NotingContext {
  readonly notes: string[] = [];
  readonly batches: string[][] = [];
  canForget = true;
  failsNext = false;
  #batch: string[] = [];

  readonly binding = {
    initBatch: () => {
      this.#batch = [];
    },
    addToBatch: (sequence: number, position: number, tokens: Uint32Array, logits: Uint32Array) => {
      this.#batch.push(`${sequence}@${position}:${tokens.join(',')}`);
      return logits.length > 0 ? Uint32Array.of(sequence) : new Uint32Array(0);
    },
    decodeBatch: async () => {
      await Promise.resolve();
      this.batches.push(this.#batch);
      if (this.failsNext) {
        this.failsNext = false;
        throw new Error('llama_decode failed');
      }
    },
    removeTokenCellsFromSequence: (sequence: number, from: number) => {
      this.notes.push(`forget ${sequence} from ${from}`);
      return this.canForget;
    },
    disposeSequence: (sequence: number) => this.notes.push(`clear ${sequence}`),
  } as unknown as ContextBinding;
}

class CountingJob implements LoopJob {
  readonly prompt: readonly number[];
  readonly adapter: Adapter | undefined;
  readonly made: number[] = [];
  isPaused = false;
  isOver = false;
  reused = -1;
  fault: unknown;
  readonly done: Promise<void>;
  readonly #limit: number;
  #finish: () => void = () => undefined;

  constructor(prompt: readonly number[], limit: number, adapter?: Adapter) {
    this.prompt = prompt;
    this.adapter = adapter;
    this.#limit = limit;
    this.done = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  begin(reused: number): void {
    this.reused = reused;
  }

  async advance(): Promise<number | undefined> {
    await Promise.resolve();
    const next = (this.made.at(-1) ?? this.prompt.at(-1) ?? 0) + 1;
    this.made.push(next);
    if (this.made.length < this.#limit) return next;
    this.isOver = true;
    this.#finish();
    return undefined;
  }

  fail(error: unknown): void {
    this.fault = error;
    this.isOver = true;
    this.#finish();
  }
}

function loopOver(context: NotingContext, { sequences = 2, queueSize = 8, batchSize = 512 } = {}): DecodeLoop {
  return new DecodeLoop({
    context: context.binding,
    sequences,
    queueSize,
    batchSize,
    useAdapter: (adapter) => context.notes.push(`use ${adapter?.lora.filePath ?? 'none'}`),
    exclusively: (work) => work(),
  });
}

const adapterOf = (filePath: string): Adapter => ({ lora: { filePath, dispose: async () => undefined }, scale: 1 });

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('DecodeLoop', () => {
  it('puts the tokens of running requests and the prompt of a new one into the same batches', async () => {
    const context = new NotingContext();
    const loop = loopOver(context);
    const one = new CountingJob([1, 2, 3], 4);
    const two = new CountingJob([50, 60], 3);
    loop.submit(one);
    loop.submit(two);
    await Promise.all([one.done, two.done]);
    expect(one.made).toEqual([4, 5, 6, 7]);
    expect(two.made).toEqual([61, 62, 63]);
    expect(context.batches.map((batch) => batch.toSorted())).toEqual([
      ['0@0:1,2,3'],
      ['0@3:4', '1@0:50,60'],
      ['0@4:5', '1@2:61'],
      ['0@5:6', '1@3:62'],
    ]);
    expect(loop.figures).toMatchObject({ batches: 4, sharedBatches: 3, evaluatedTokens: 10, sampledTokens: 7 });
  });

  it('goes on where a conversation was, in the sequence that knows most of it', async () => {
    const context = new NotingContext();
    const loop = loopOver(context);
    const first = new CountingJob([1, 2, 3], 2);
    const other = new CountingJob([9, 9, 9, 9], 2);
    loop.submit(first);
    loop.submit(other);
    await Promise.all([first.done, other.done]);
    await settle();
    const next = new CountingJob([1, 2, 3, 4, 70, 71], 1);
    loop.submit(next);
    await next.done;
    expect(next.reused).toBe(4);
    expect(context.batches.at(-1)).toEqual(['0@4:70,71']);
    await settle();
    const again = new CountingJob([9, 9, 8], 1);
    loop.submit(again);
    await again.done;
    expect(context.notes).toEqual(['forget 1 from 2']);
    expect(context.batches.at(-1)).toEqual(['1@2:8']);
    await settle();
    const same = new CountingJob([9, 9, 8], 1);
    loop.submit(same);
    await same.done;
    expect(same.reused).toBe(2);
  });

  it('begins anew where the model cannot forget a part, or another adapter was at work', async () => {
    const context = new NotingContext();
    context.canForget = false;
    const loop = loopOver(context, { sequences: 1 });
    for (const job of [
      new CountingJob([1, 2, 3], 1),
      new CountingJob([1, 2, 9], 1),
      new CountingJob([1, 2, 9, 10], 1, adapterOf('a')),
    ]) {
      loop.submit(job);
      await job.done;
      await settle();
      expect(job.reused).toBe(0);
    }
    expect(context.notes).toEqual(['forget 0 from 2', 'clear 0', 'clear 0', 'use a']);
  });

  it('lets adapters take turns', async () => {
    const context = new NotingContext();
    const loop = loopOver(context);
    const jobs = [new CountingJob([1], 3), new CountingJob([1], 3, adapterOf('a'))];
    for (const job of jobs) loop.submit(job);
    await Promise.all(jobs.map(({ done }) => done));
    expect(context.notes.filter((note) => note.startsWith('use'))).toEqual([
      'use a',
      'use none',
      'use a',
      'use none',
      'use a',
    ]);
    expect(context.batches.every((batch) => batch.length === 1)).toBe(true);
  });

  it('does not go on with what another adapter of the same file evaluated', async () => {
    const context = new NotingContext();
    const loop = loopOver(context, { sequences: 1 });
    const [old, renewed] = [adapterOf('a'), adapterOf('a')];
    const reused: number[] = [];
    for (const adapter of [old, old, renewed]) {
      const job = new CountingJob([1, 2, 3], 1, adapter);
      loop.submit(job);
      await job.done;
      await settle();
      reused.push(job.reused);
    }
    expect(reused).toEqual([0, 2, 0]);
    expect(context.notes.filter((note) => note.startsWith('use'))).toEqual(['use a', 'use a']);
  });

  it('keeps a bounded queue in order and drops what was cancelled in it', async () => {
    const context = new NotingContext();
    const loop = loopOver(context, { sequences: 1, queueSize: 2 });
    const jobs = [1, 2, 3].map((number) => new CountingJob([number * 10], 2));
    for (const job of jobs) loop.submit(job);
    expect(() => loop.submit(new CountingJob([1], 1))).toThrow('Exceeds maximum queue size');
    for (const job of jobs.slice(1, 2)) job.isOver = true;
    await Promise.all([jobs[0]?.done, jobs[2]?.done]);
    expect(jobs[1]?.made).toEqual([]);
    expect(jobs[2]?.made).toEqual([31, 32]);
    expect(loop.waiting).toBe(0);
  });

  it('skips a paused request and continues it when it is woken', async () => {
    const context = new NotingContext();
    const loop = loopOver(context);
    const slow = new CountingJob([1], 3);
    slow.isPaused = true;
    const quick = new CountingJob([5], 3);
    loop.submit(slow);
    loop.submit(quick);
    await quick.done;
    await settle();
    expect(slow.made).toEqual([]);
    slow.isPaused = false;
    loop.wake();
    await slow.done;
    expect(slow.made).toHaveLength(3);
  });

  it('fails the requests of a batch that failed, and serves the next ones', async () => {
    const context = new NotingContext();
    const loop = loopOver(context);
    context.failsNext = true;
    const unlucky = new CountingJob([1, 2], 2);
    loop.submit(unlucky);
    await unlucky.done;
    expect(unlucky.fault).toMatchObject({ code: 'INTERNAL' });
    const next = new CountingJob([1, 2], 2);
    loop.submit(next);
    await next.done;
    expect(next).toMatchObject({ reused: 0, made: [3, 4] });
  });
});

describe('planBatch', () => {
  const slot = (pending: number): Slot => ({
    sequence: 0,
    tokens: [],
    adapter: undefined,
    job: undefined,
    pending: Array.from({ length: pending }, () => 1),
    lastUsed: 0,
  });

  it('gives every generation its token, and prompts the rest in equal parts', () => {
    const counts = (pending: number[], size = 512) => planBatch(pending.map(slot), size).map(({ count }) => count);
    expect(counts([1, 1, 1])).toEqual([1, 1, 1]);
    expect(counts([1000])).toEqual([256]);
    expect(counts([1, 1000])).toEqual([1, 64]);
    expect(counts([1, 10, 1000])).toEqual([1, 10, 54]);
    expect(counts([300, 300])).toEqual([128, 128]);
    expect(counts([1, 1, 300], 4)).toEqual([1, 1, 2]);
  });

  it('knows what two sequences have in common', () => {
    expect(commonPrefix([], [1])).toBe(0);
    expect(commonPrefix([1, 2, 3], [1, 2, 4])).toBe(2);
    expect(commonPrefix([1, 2], [1, 2, 4])).toBe(2);
  });
});
