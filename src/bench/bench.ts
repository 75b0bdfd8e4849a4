import { availableParallelism, platform } from 'node:os';
import { countOutcomes, haveUsage } from './count-outcomes.ts';
import type { Lengths } from './lengths.ts';
import { type CountedOutcome, levelReport } from './level-report.ts';
import { runLoad } from './load/crew.ts';
import type { Extent, Pace } from './load/messages.ts';
import type { WatchedProcess } from './process-usage.ts';
import { countedPrompts, makePrompts, type Prompt } from './prompts.ts';
import type { LevelReport, LoadDescription, Report } from './report/report.ts';
import { type BodyOptions, requestBody } from './request-body.ts';
import type { Target } from './target.ts';
import type { TokenCounter } from './token-counter.ts';
import { Watch } from './watch.ts';

/** What is to be measured, and how. */
export interface BenchOptions extends BodyOptions {
  readonly version: string;
  readonly target: Target;
  readonly paces: readonly Pace[];
  readonly extent: Extent;
  readonly warmup: number;
  readonly timeout: number;
  readonly seed: number;
  /** Texts to ask, or how many to make and how long. */
  readonly prompts: readonly string[] | { readonly count: number; readonly input: Lengths };
  readonly output: Lengths;
  /** Makes prompts of their lengths, and counts. Undefined: the server's own counts are taken. */
  readonly counter: TokenCounter | undefined;
  /** The server's own counts are taken all the same. */
  readonly takesUsage: boolean;
  readonly watched: readonly WatchedProcess[];
  /** Processes that make the load; left out: as many as it needs. */
  readonly workers?: number | undefined;
  readonly stop: AbortSignal;
  /** How far one level is, from 0 to 1. */
  readonly onProgress: (pace: Pace, share: number) => void;
}

/** Measures all levels of load, one after the other. */
export async function bench(options: BenchOptions): Promise<Report> {
  const prompts = await promptsOf(options);
  const levels: LevelReport[] = [];
  let hasUsage = true;
  for (const pace of options.paces) {
    if (options.stop.aborted) break;
    const { level, succeeded } = await measureLevel(pace, prompts, options);
    hasUsage &&= haveUsage(succeeded);
    levels.push(level);
  }
  return {
    tool: 'conch bench',
    format: 1,
    version: options.version,
    date: new Date().toISOString(),
    machine: { node: process.version, platform: `${platform()} ${process.arch}`, cpus: availableParallelism() },
    load: describeLoad(options, prompts, hasUsage),
    interrupted: options.stop.aborted,
    levels,
  };
}

async function promptsOf({ prompts, output, seed, counter }: BenchOptions): Promise<Prompt[]> {
  if (!('count' in prompts)) return countedPrompts(prompts, { output, seed, counter });
  return makePrompts({ ...prompts, output, seed, counter });
}

async function measureLevel(
  pace: Pace,
  prompts: readonly Prompt[],
  options: BenchOptions,
): Promise<{ level: LevelReport; succeeded: readonly CountedOutcome[] }> {
  const { target, endpoint, isStreaming, extent, warmup, timeout, stop } = options;
  const bodies = prompts.map((prompt) => requestBody(prompt, options));
  const watch = new Watch(options.watched);
  let startedAt = 0;
  const measured = await runLoad({
    task: { target, endpoint, isStreaming, bodies, timeout, pace, extent, warmup },
    workers: workersFor(pace, options.workers),
    stop,
    onMeasure: () => {
      startedAt = performance.now();
      watch.begin();
      options.onProgress(pace, 0);
    },
    onProgress: (done) => options.onProgress(pace, shareDone(extent, done, performance.now() - startedAt)),
  });
  const usage = watch.end();
  const watchedMilliseconds = performance.now() - startedAt;
  if (!stop.aborted) options.onProgress(pace, 1);
  const succeeded = await countOutcomes(
    measured.outcomes.filter(({ error }) => error === undefined),
    { endpoint, prompts, counter: outcomeCounter(options) },
  );
  return {
    level: levelReport({ pace, isStreaming, measured, succeeded, usage, watchedMilliseconds }),
    succeeded,
  };
}

function outcomeCounter({ counter, takesUsage }: BenchOptions): TokenCounter | undefined {
  return takesUsage ? undefined : counter;
}

/** Less than one: only the end itself is all. */
function shareDone(extent: Extent, done: number, milliseconds: number): number {
  const share = 'requests' in extent ? done / extent.requests : milliseconds / extent.milliseconds;
  return Math.min(share, 0.99);
}

const lanesPerWorker = 64;
const ratePerWorker = 200;

/** A process for each open request is the most that can be of use. */
export function workersFor(pace: Pace, asked: number | undefined): number {
  if (asked !== undefined) return pace.kind === 'concurrency' ? Math.min(asked, pace.concurrency) : asked;
  const wanted = pace.kind === 'concurrency' ? pace.concurrency / lanesPerWorker : pace.perSecond / ratePerWorker;
  return Math.max(1, Math.min(availableParallelism(), Math.ceil(wanted)));
}

function describeLoad(options: BenchOptions, prompts: readonly Prompt[], hasUsage: boolean): LoadDescription {
  const { extent, endpoint } = options;
  const counter = outcomeCounter(options);
  const generates = endpoint !== 'embeddings';
  const ownCount = hasUsage ? "the server's usage" : 'events that brought text: the server tells no usage';
  return {
    url: options.target.origin,
    model: options.model,
    endpoint,
    streaming: options.isStreaming,
    ...('requests' in extent ? { requests: extent.requests } : { duration_s: extent.milliseconds / 1000 }),
    warmup: options.warmup,
    seed: options.seed,
    prompts: prompts.length,
    input_tokens: 'count' in options.prompts ? options.prompts.input : 'of a file',
    ...(generates ? { output_tokens: options.output } : {}),
    extra: { ...(options.ignoresEnd ? { ignore_eos: true, min_tokens: 'output tokens' } : {}), ...options.extra },
    input_counted_by: counter?.source ?? "the server's usage, its chat template included",
    ...(generates ? { output_counted_by: counter?.source ?? ownCount } : {}),
  };
}
