import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../random.ts';
import { now } from './clock.ts';
import { connectionFailed, type Outcome, type Pace, type WorkerTask } from './messages.ts';

/** The lane that sends a request, and whether it is its first one. */
export interface LaneTurn {
  readonly lane: number;
  readonly isFirst: boolean;
}

/** Options of `generateLoad`. */
export interface LoadOptions<Result extends Pick<Outcome, 'error'> = Outcome> {
  readonly task: Pick<WorkerTask, 'pace' | 'extent' | 'worker' | 'workers'>;
  /** A rate has no lanes: each request has its own. */
  readonly send: (index: number, turn: LaneTurn) => Promise<Result>;
  readonly onOutcome: (outcome: Result) => void;
  /** Milliseconds over which the lanes start one by one; default: all at once. */
  readonly ramp?: number | undefined;
  readonly stop: AbortSignal;
}

/** Generates this worker's share of the load. Resolves to the highest lateness of a request, in milliseconds. */
export async function generateLoad<Result extends Pick<Outcome, 'error'>>(
  options: LoadOptions<Result>,
): Promise<number> {
  const { pace } = options.task;
  if (pace.kind === 'rate') return openLoop(options, pace);
  await closedLoop(options, pace.concurrency);
  return 0;
}

/** The share of one worker. */
export function shareOf(whole: number, { worker, workers }: { worker: number; workers: number }): number {
  return Math.floor(whole / workers) + (worker < whole % workers ? 1 : 0);
}

/** Each lane sends its next request when its response has ended. Requests belong to lanes, and lanes to workers. */
async function closedLoop<Result extends Pick<Outcome, 'error'>>(
  { task, send, onOutcome, ramp, stop }: LoadOptions<Result>,
  concurrency: number,
): Promise<void> {
  const { extent, worker, workers } = task;
  const lanes = shareOf(concurrency, task);
  if (lanes === 0) return;
  const nextFrom = (index: number): number => {
    let found = index;
    while ((found % concurrency) % workers !== worker) found++;
    return found;
  };
  const end = 'requests' in extent ? extent.requests : Number.POSITIVE_INFINITY;
  const until = 'milliseconds' in extent ? now() + extent.milliseconds : Number.POSITIVE_INFINITY;
  let next = nextFrom(0);
  const run = async (lane: number): Promise<void> => {
    let refusals = 0;
    let isFirst = true;
    if (ramp !== undefined) await pause((lane / lanes) * ramp, stop);
    while (next < end && now() < until && !stop.aborted) {
      const index = next;
      next = nextFrom(index + 1);
      const outcome = await send(index, { lane, isFirst });
      isFirst = false;
      onOutcome(outcome);
      refusals = outcome.error?.startsWith(connectionFailed) ? refusals + 1 : 0;
      // A number of requests is sent without pauses. A duration must not fill up with failed connections.
      if (refusals === 0 || !('milliseconds' in extent)) continue;
      const left = until - now();
      await pause(Math.min(pauseAfter(refusals), left), stop);
      // A timer may fire a little early: the clock would then allow one more request.
      if (pauseAfter(refusals) >= left) return;
    }
  };
  await Promise.all(Array.from({ length: lanes }, (_, lane) => run(lane)));
}

const shortestPause = 10;
const longestPause = 1000;

/** Doubles after each failed connection in a row. */
function pauseAfter(refusals: number): number {
  return Math.min(longestPause, shortestPause * 2 ** (refusals - 1));
}

async function pause(milliseconds: number, stop: AbortSignal): Promise<void> {
  if (milliseconds > 0) await sleep(milliseconds, undefined, { signal: stop }).catch(() => undefined);
}

const mostAtOnce = 16;

/** Requests start at their times, no matter how many are still open. */
async function openLoop<Result extends Pick<Outcome, 'error'>>(
  { task, send, onOutcome, stop }: LoadOptions<Result>,
  pace: RatePace,
): Promise<number> {
  const { extent, worker, workers } = task;
  const startedAt = now();
  const open: Promise<void>[] = [];
  let lateness = 0;
  let sentAtOnce = 0;
  for (const { index, at } of arrivals(pace, extent)) {
    if (index % workers !== worker) continue;
    const wait = startedAt + at - now();
    if (wait > 0) await pause(wait, stop);
    // A worker that is late must still read responses.
    else if (++sentAtOnce % mostAtOnce === 0) await nextTurn();
    if (stop.aborted) break;
    lateness = Math.max(lateness, now() - startedAt - at);
    open.push(send(index, { lane: index, isFirst: true }).then(onOutcome));
  }
  await Promise.all(open);
  return lateness;
}

type RatePace = Extract<Pace, { kind: 'rate' }>;

/** The start of each request, in milliseconds since the start of the load: the same in every worker. */
export function* arrivals(pace: RatePace, extent: WorkerTask['extent']): Generator<{ index: number; at: number }> {
  const random = new Random(pace.seed);
  const gap = 1000 / pace.perSecond;
  let at = 0;
  for (let index = 0; 'requests' in extent ? index < extent.requests : at < extent.milliseconds; index++) {
    yield { index, at };
    at += pace.arrival === 'constant' ? gap : gap * random.exponential();
  }
}
