import { availableParallelism, platform } from 'node:os';
import { countOutcomes, type KnownUsage, knownUsage } from './count-outcomes.ts';
import { Counting } from './counting.ts';
import type { Lengths } from './lengths.ts';
import { type CountedOutcome, levelReport } from './level-report.ts';
import { LoadError, runLoad } from './load/crew.ts';
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
  const counting = new Counting(options.counter, options.takesUsage);
  const prompts = await counting.prompts((counter) => promptsOf({ ...options, counter }));
  const source = counting.ofAnswers?.source;
  const levels: LevelReport[] = [];
  const succeeded: KnownUsage[] = [];
  let failure: Report['failure'];
  for (const pace of options.paces) {
    if (options.stop.aborted) break;
    try {
      const measured = await measureLevel(pace, { prompts, counting, options });
      succeeded.push(knownUsage(measured.succeeded));
      levels.push(measured.level);
    } catch (error) {
      // What was measured before is worth keeping.
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
    load: describeLoad(options, prompts, { source, usage }),
    interrupted: options.stop.aborted,
    levels,
    notes: counting.notes,
    ...(failure ? { failure } : {}),
  };
}

async function promptsOf({ prompts, output, seed, counter }: BenchOptions): Promise<Prompt[]> {
  if (!('count' in prompts)) return countedPrompts(prompts, { output, seed, counter });
  return makePrompts({ ...prompts, output, seed, counter });
}

interface LevelWork {
  readonly prompts: readonly Prompt[];
  readonly counting: Counting;
  readonly options: BenchOptions;
}

async function measureLevel(
  pace: Pace,
  { prompts, counting, options }: LevelWork,
): Promise<{ level: LevelReport; succeeded: readonly CountedOutcome[] }> {
  const { target, endpoint, isStreaming, extent, warmup, timeout, stop } = options;
  const bodies = prompts.map((prompt) => requestBody(prompt, options));
  const keepsTexts = counting.ofAnswers !== undefined;
  const watch = new Watch(options.watched);
  let startedAt = 0;
  const measured = await runLoad({
    task: { target, endpoint, isStreaming, bodies, timeout, pace, extent, warmup, keepsTexts },
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
  const answered = measured.outcomes.filter(({ error }) => error === undefined);
  const succeeded = await counting.answers(pace, (counter) =>
    countOutcomes(answered, { endpoint, isStreaming, prompts, counter }),
  );
  return {
    level: levelReport({ pace, isStreaming, measured, succeeded, usage, watchedMilliseconds }),
    succeeded,
  };
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

interface WhoCounted {
  /** The counter of the answers; undefined where the server's usage was taken. */
  readonly source: string | undefined;
  readonly usage: KnownUsage;
}

function describeLoad(
  options: BenchOptions,
  prompts: readonly Prompt[],
  { source, usage }: WhoCounted,
): LoadDescription {
  const { extent, endpoint } = options;
  const generates = endpoint !== 'embeddings';
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
    input_counted_by: source ?? inputCount(endpoint, usage),
    ...(generates ? { output_counted_by: source ?? outputCount(options, usage) } : {}),
  };
}

function inputCount(endpoint: BenchOptions['endpoint'], usage: KnownUsage): string {
  if (!usage.input) return 'nobody: the server does not tell the usage of every request';
  return endpoint === 'chat' ? "the server's usage, its chat template included" : "the server's usage";
}

function outputCount({ isStreaming }: BenchOptions, usage: KnownUsage): string {
  if (usage.output) return "the server's usage";
  if (isStreaming) return 'events that brought text: the server does not tell the usage of every request';
  return 'nobody: the server does not tell the usage of every request, and the answers are not streamed';
}
