import { availableParallelism, platform } from 'node:os';
import { countOutcomes, type KnownUsage, knownUsage } from './count-outcomes.ts';
import { describeLoad } from './describe-load.ts';
import { FallbackCounter } from './fallback-counter.ts';
import type { Lengths } from './lengths.ts';
import { type CountedOutcome, levelReport } from './level-report.ts';
import type { Extent, Pace } from './load/messages.ts';
import { LoadError, runLoad } from './load/worker-pool.ts';
import type { WatchedProcess } from './process-usage.ts';
import { countedPrompts, makePrompts, type Prompt } from './prompts.ts';
import { type LevelReport, paceText, type Report } from './report/report.ts';
import { type BodyOptions, requestBody } from './request-body.ts';
import type { Target } from './target.ts';
import type { TokenCounter } from './token-counter.ts';
import { Watch } from './watch.ts';

/** What to measure, and how. */
export interface BenchOptions extends BodyOptions {
  readonly version: string;
  readonly target: Target;
  readonly paces: readonly Pace[];
  readonly extent: Extent;
  /** Milliseconds that open requests may continue after the end of the time. */
  readonly grace: number;
  /** Default: the concurrency, at least ten. */
  readonly warmup?: number | undefined;
  readonly timeout: number;
  readonly seed: number;
  /** Prompt texts, or how many prompts to generate and how long. */
  readonly prompts: readonly string[] | { readonly count: number; readonly input: Lengths };
  readonly output: Lengths;
  /** Fits prompts to their lengths, and counts tokens. Undefined: use the usage that the server reports. */
  readonly counter: TokenCounter | undefined;
  /** Use the usage that the server reports even if there is a counter. */
  readonly takesUsage: boolean;
  readonly watched: readonly WatchedProcess[];
  /** Processes that generate the load; default: as many as it needs. */
  readonly workers?: number | undefined;
  readonly stop: AbortSignal;
  /** Progress of a step, from 0 to 1: prompts, warm-up, the load itself, counting. */
  readonly onProgress: (step: string, share: number) => void;
}

/** Measures all levels of load, one after the other. */
export async function bench(options: BenchOptions): Promise<Report> {
  const counting = new FallbackCounter(options.counter, options.takesUsage);
  const prepared = await counting.prompts((counter) => promptsOf({ ...options, counter }));
  const source = counting.responseCounter?.source;
  const levels: LevelReport[] = [];
  const succeeded: KnownUsage[] = [];
  let failure: Report['failure'];
  for (const pace of options.paces) {
    if (options.stop.aborted) break;
    try {
      const measured = await measureLevel(pace, { ...prepared, counting, options });
      succeeded.push(knownUsage(measured.succeeded));
      levels.push(measured.level);
    } catch (error) {
      // The levels before this one are still reported.
      if (!(error instanceof LoadError) || levels.length === 0) throw error;
      failure = { pace, reason: error.message };
      break;
    }
  }
  const usage = { input: succeeded.every(({ input }) => input), output: succeeded.every(({ output }) => output) };
  return {
    tool: 'conch bench',
    format: 1,
    version: options.version,
    date: new Date().toISOString(),
    machine: { node: process.version, platform: `${platform()} ${process.arch}`, cpus: availableParallelism() },
    load: describeLoad(options, prepared.prompts, { source, usage }),
    interrupted: options.stop.aborted,
    levels,
    notes: counting.notes,
    ...(failure ? { failure } : {}),
  };
}

interface PromptSets {
  readonly prompts: readonly Prompt[];
  /** Other prompts than the first ones, or the last ones: a server's prefix cache must not contain the first ones. */
  readonly warmups: readonly Prompt[];
}

async function promptsOf(options: BenchOptions): Promise<PromptSets> {
  const { prompts, output, seed, counter, paces, onProgress } = options;
  const onShare = counter ? (share: number) => onProgress('prompts', share) : undefined;
  if (!('count' in prompts)) {
    const counted = await countedPrompts(prompts, { output, seed, counter, onShare });
    return { prompts: counted, warmups: counted.toReversed() };
  }
  const { count, input } = prompts;
  const others = Math.min(count, Math.max(1, ...paces.map((pace) => warmupFor(pace, options.warmup))));
  const made = await makePrompts({ count: count + others, input, output, seed, counter, onShare });
  return { prompts: made.slice(0, count), warmups: made.slice(count) };
}

const leastWarmup = 10;

/** Every connection is opened before the measurement. */
function warmupFor(pace: Pace, requestedWarmup: number | undefined): number {
  return requestedWarmup ?? (pace.kind === 'concurrency' ? Math.max(leastWarmup, pace.concurrency) : leastWarmup);
}

interface LevelWork extends PromptSets {
  readonly counting: FallbackCounter;
  readonly options: BenchOptions;
}

async function measureLevel(
  pace: Pace,
  { prompts, warmups, counting, options }: LevelWork,
): Promise<{ level: LevelReport; succeeded: readonly CountedOutcome[] }> {
  const { target, endpoint, isStreaming, extent, grace, timeout, stop } = options;
  const [bodies = [], warmupBodies = []] = [prompts, warmups].map((all) =>
    all.map((prompt) => requestBody(prompt, options)),
  );
  const warmup = warmupFor(pace, options.warmup);
  const keepsTexts = counting.responseCounter !== undefined;
  const watch = new Watch(options.watched);
  const level = paceText(pace);
  const warming = `${level}: warm-up`;
  let startedAt = 0;
  if (warmup > 0) options.onProgress(warming, 0);
  const measured = await runLoad({
    task: { target, endpoint, isStreaming, bodies, timeout, pace, extent, grace, warmup, warmupBodies, keepsTexts },
    workers: workersFor(pace, options.workers),
    stop,
    onMeasure: () => {
      if (warmup > 0) options.onProgress(warming, 1);
      startedAt = performance.now();
      watch.begin();
      options.onProgress(level, 0);
    },
    onProgress: (done) => options.onProgress(level, shareDone(extent, done, performance.now() - startedAt)),
  });
  const usage = watch.end();
  const watchedMilliseconds = performance.now() - startedAt;
  if (!stop.aborted) options.onProgress(level, 1);
  const successes = measured.outcomes.filter(({ error }) => error === undefined);
  const succeeded = await counting.responses(pace, (counter) =>
    countOutcomes(successes, {
      endpoint,
      isStreaming,
      prompts,
      counter,
      onShare: counter ? (share) => options.onProgress(`${level}: counting`, share) : undefined,
    }),
  );
  return {
    level: levelReport({ pace, isStreaming, measured, succeeded, usage, watchedMilliseconds }),
    succeeded,
  };
}

/** Less than one until the end. */
function shareDone(extent: Extent, done: number, milliseconds: number): number {
  const share = 'requests' in extent ? done / extent.requests : milliseconds / extent.milliseconds;
  return Math.min(share, 0.99);
}

const lanesPerWorker = 64;
const ratePerWorker = 200;

/** The number of worker processes, at most one per open request. */
export function workersFor(pace: Pace, requestedWorkers: number | undefined): number {
  if (requestedWorkers !== undefined)
    return pace.kind === 'concurrency' ? Math.min(requestedWorkers, pace.concurrency) : requestedWorkers;
  const needed = pace.kind === 'concurrency' ? pace.concurrency / lanesPerWorker : pace.perSecond / ratePerWorker;
  return Math.max(1, Math.min(availableParallelism(), Math.ceil(needed)));
}
