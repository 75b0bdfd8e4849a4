import { errorKinds } from './error-kinds.ts';
import { type Outcome, type Pace, timelineStep } from './load/messages.ts';
import type { Measurements } from './load/worker-pool.ts';
import type { ProcessUsage, WatchedProcess } from './process-usage.ts';
import type { GeneratorCost, LevelReport, ProcessCost, RequestMetric } from './report/report.ts';
import { distribution, sum, summarize } from './statistics.ts';

/** A request that succeeded, with its tokens counted. */
export interface CountedOutcome extends Omit<Outcome, 'texts'> {
  readonly inputTokens: number | undefined;
  /** Undefined where nothing is generated. */
  readonly outputTokens: number | undefined;
}

/** The usage of a process before and after the measured requests. */
export interface UsageChange extends WatchedProcess {
  readonly before: ProcessUsage;
  readonly after: ProcessUsage;
  readonly peakMegabytes: number;
}

interface LevelOptions {
  readonly pace: Pace;
  readonly isStreaming: boolean;
  readonly measured: Measurements;
  readonly succeeded: readonly CountedOutcome[];
  readonly usage: readonly UsageChange[];
  /** Between the two readings of usage. */
  readonly watchedMilliseconds: number;
}

/** The report of one level of load. */
export function levelReport(options: LevelOptions): LevelReport {
  const { pace, isStreaming, measured, succeeded } = options;
  const failed = measured.outcomes.filter(({ error }) => error !== undefined);
  const values = valuesOf(succeeded, isStreaming);
  const milliseconds = spanOf(succeeded);
  const lengths = present(succeeded.map((outcome) => outcome.outputTokens));
  // There is no sum if some responses have no count.
  const outputTokens = lengths.length > 0 && lengths.length === succeeded.length ? sum(lengths) : undefined;
  const perSecond = (amount: number): number => (milliseconds === 0 ? 0 : (amount / milliseconds) * 1000);
  return {
    pace,
    duration_s: milliseconds / 1000,
    request_count: succeeded.length,
    failed_count: failed.length,
    cut_count: sum(measured.costs.map(({ cut }) => cut)),
    resent_count: measured.outcomes.filter(({ wasResent }) => wasResent).length,
    errors: errorKinds(failed.map(({ error = '' }) => error)),
    metrics: withValues(values, summarize),
    throughput: {
      ...(outputTokens === undefined ? {} : { output_token_throughput: perSecond(outputTokens) }),
      request_throughput: perSecond(succeeded.length),
    },
    generator: generatorCost(measured, pace),
    processes: options.usage.map((change) =>
      processCost(change, { ...options, outputTokens, requests: measured.outcomes.length }),
    ),
    distributions: withValues(values, (list) => (list.length === 0 ? undefined : distribution(list))),
    timeline: outputTokens === undefined ? [] : timeline(measured, succeeded, outputTokens),
  };
}

/** From the start of the first request to the end of the last response. */
function spanOf(succeeded: readonly CountedOutcome[]): number {
  if (succeeded.length === 0) return 0;
  const begin = succeeded.reduce((least, { startedAt }) => Math.min(least, startedAt), Number.POSITIVE_INFINITY);
  const end = succeeded.reduce((most, { lastAt = 0 }) => Math.max(most, lastAt), 0);
  return end - begin;
}

type Values = Readonly<Record<RequestMetric, readonly number[]>>;

function valuesOf(succeeded: readonly CountedOutcome[], isStreaming: boolean): Values {
  const streamed = isStreaming ? succeeded : [];
  return {
    time_to_first_token: present(streamed.map(({ startedAt, firstAt }) => firstAt && firstAt - startedAt)),
    inter_token_latency: present(streamed.map(interTokenLatency)),
    request_latency: present(succeeded.map(({ startedAt, lastAt }) => lastAt && lastAt - startedAt)),
    output_sequence_length: present(succeeded.map(({ outputTokens }) => outputTokens)),
    input_sequence_length: present(succeeded.map(({ inputTokens }) => inputTokens)),
  };
}

/** The time after the first token per further token; undefined for a response of one token. */
function interTokenLatency({ firstAt, lastAt, outputTokens = 0 }: CountedOutcome): number | undefined {
  if (firstAt === undefined || lastAt === undefined || outputTokens < 2) return undefined;
  return (lastAt - firstAt) / (outputTokens - 1);
}

function present(values: readonly (number | undefined)[]): number[] {
  return values.filter((value) => value !== undefined);
}

function withValues<T>(
  values: Values,
  make: (list: readonly number[]) => T | undefined,
): Partial<Record<RequestMetric, T>> {
  const made: Partial<Record<RequestMetric, T>> = {};
  for (const [name, list] of Object.entries(values) as [RequestMetric, readonly number[]][]) {
    const value = make(list);
    if (value !== undefined) made[name] = value;
  }
  return made;
}

function generatorCost({ costs, outcomes }: Measurements, pace: Pace): GeneratorCost {
  const shares = costs.map(({ cpuMilliseconds, wallMilliseconds }) => cpuMilliseconds / Math.max(1, wallMilliseconds));
  return {
    processes: costs.length,
    cpu_share: sum(shares),
    busiest_cpu_share: Math.max(0, ...shares),
    cpu_us_per_request:
      (sum(costs.map(({ cpuMilliseconds }) => cpuMilliseconds)) * 1000) / Math.max(1, outcomes.length),
    loop_delay_p99_ms: Math.max(0, ...costs.map(({ loopDelay }) => loopDelay)),
    ...(pace.kind === 'rate' ? { lateness_ms: Math.max(0, ...costs.map(({ lateness }) => lateness)) } : {}),
  };
}

interface Work {
  readonly outputTokens: number | undefined;
  /** Includes failed requests, which cost CPU time too. */
  readonly requests: number;
  readonly watchedMilliseconds: number;
}

function processCost({ name, pid, before, after, peakMegabytes }: UsageChange, work: Work): ProcessCost {
  const cpu = after.cpuMicroseconds - before.cpuMicroseconds;
  return {
    name,
    pid,
    ...(work.outputTokens ? { cpu_us_per_token: cpu / work.outputTokens } : {}),
    cpu_us_per_request: cpu / Math.max(1, work.requests),
    cpu_share: cpu / 1000 / Math.max(1, work.watchedMilliseconds),
    rss_mb: after.residentMegabytes,
    rss_peak_mb: Math.max(peakMegabytes, before.residentMegabytes, after.residentMegabytes),
  };
}

const mostSteps = 240;

/** Tokens per second over time: the events with text, each weighted with the average number of tokens per event. */
function timeline(
  { textCounts }: Measurements,
  succeeded: readonly CountedOutcome[],
  outputTokens: number,
): (readonly [number, number])[] {
  const counts = new Map<number, number>();
  for (const [step, events] of textCounts.flat()) counts.set(step, (counts.get(step) ?? 0) + events);
  const steps = [...counts.keys()].toSorted((a, b) => a - b);
  const [first, last] = [steps[0], steps.at(-1)];
  const events = sum(succeeded.map((outcome) => outcome.events));
  if (first === undefined || last === undefined || events === 0) return [];
  const width = Math.max(1, Math.ceil((last - first + 1) / mostSteps));
  const seconds = (width * timelineStep) / 1000;
  return Array.from({ length: Math.ceil((last - first + 1) / width) }, (_, index) => {
    let total = 0;
    for (let step = 0; step < width; step++) total += counts.get(first + index * width + step) ?? 0;
    return [index * seconds, (total * (outputTokens / events)) / seconds] as const;
  });
}
