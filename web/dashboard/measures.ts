import { ownSamples } from './metrics-text.ts';

/** The counters of the server at one time. */
export interface Counts {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly requests: number;
  readonly errors: number;
  readonly tokens: number;
  /** How many responses had their first token within a number of seconds: upper bound to count. */
  readonly firstTokens: ReadonlyMap<number, number>;
  readonly waiting: number;
  readonly running: number;
}

/** Metrics between two times. Rates are per second, times in seconds; undefined where nothing was measured. */
export interface Measures {
  readonly at: number;
  readonly requests: number;
  readonly errors: number;
  readonly tokens: number;
  readonly firstToken: number | undefined;
  readonly slowFirstToken: number | undefined;
  readonly waiting: number;
  readonly running: number;
}

/** The status of requests whose client disconnected. They are no errors. */
const disconnectedStatus = 499;

/** The counters in the metrics of a server. */
export function countsOf(text: string, at: number): Counts {
  const sums = { requests: 0, errors: 0, tokens: 0, waiting: 0, running: 0 };
  const firstTokens = new Map<number, number>();
  for (const { name, labels, value } of ownSamples(text)) {
    const status = Number(labels['status']);
    const isError = status >= 400 && status !== disconnectedStatus;
    if (name === 'conch_requests_total') {
      // Requests without a model, for example those of the dashboard itself, count only if they fail.
      if (isError || labels['model'] !== '') sums.requests += value;
      if (isError) sums.errors += value;
    } else if (name === 'conch_output_tokens_total') sums.tokens += value;
    else if (name === 'conch_requests_waiting') sums.waiting += value;
    else if (name === 'conch_requests_running') sums.running += value;
    else if (name === 'conch_time_to_first_token_seconds_bucket') {
      const bound = labels['le'] === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels['le']);
      firstTokens.set(bound, (firstTokens.get(bound) ?? 0) + value);
    }
  }
  return { at, ...sums, firstTokens };
}

/** The metrics between two readings of the counters. */
export function measuresBetween(before: Counts, after: Counts): Measures {
  const seconds = Math.max((after.at - before.at) / 1000, 0.001);
  const rate = (name: 'requests' | 'errors' | 'tokens'): number => increase(before[name], after[name]) / seconds;
  const spread = [...after.firstTokens]
    .map(([bound, count]) => [bound, increase(before.firstTokens.get(bound) ?? 0, count)] as const)
    .toSorted(([left], [right]) => left - right);
  return {
    at: after.at,
    requests: rate('requests'),
    errors: rate('errors'),
    tokens: rate('tokens'),
    firstToken: quantile(spread, 0.5),
    slowFirstToken: quantile(spread, 0.95),
    waiting: after.waiting,
    running: after.running,
  };
}

/** The increase of a counter. A counter that is smaller than before restarted with its process. */
function increase(before: number, after: number): number {
  return after >= before ? after - before : after;
}

/** The quantile of a histogram, interpolated linearly between two bounds. */
function quantile(spread: readonly (readonly [number, number])[], share: number): number | undefined {
  const total = spread.at(-1)?.[1] ?? 0;
  if (total === 0) return undefined;
  const rank = total * share;
  let [low, below] = [0, 0];
  for (const [bound, count] of spread) {
    if (count >= rank)
      return Number.isFinite(bound) ? low + ((bound - low) * (rank - below)) / Math.max(count - below, 1) : low;
    [low, below] = [bound, count];
  }
  return low;
}
