import type { ServerState } from './server-state.ts';

/** A server is judged by its failures once it has had so many inferences in the last half minute. */
const fewest = 10;

/** By so much must its share of failures be above that of the others. */
const margin = 0.3;

/** A server that keeps failing stays away up to this many times the first time. */
const mostTimes = 30;

/** For each of so many milliseconds in which it was not taken out, one time is forgotten. */
const quiet = 60_000;

/** Takes a server out for a while that fails far more than the others do, unless half of them are out already. */
export function ejectOutlier(
  suspect: ServerState,
  servers: readonly ServerState[],
  { now, time }: { readonly now: number; readonly time: number },
): void {
  if (time === 0 || now < suspect.ejectedUntil) return;
  const others = servers.filter((state) => state !== suspect);
  const out = others.filter((state) => now < state.ejectedUntil).length;
  if ((out + 1) * 2 > servers.length) return;
  const { count, failureRate } = suspect.outcomes.totals(now);
  if (count < fewest) return;
  const rates = others.map((state) => state.outcomes.totals(now).failureRate);
  const usual = rates.reduce((sum, rate) => sum + rate, 0) / Math.max(1, rates.length);
  if (failureRate < usual + margin) return;
  const forgotten = Math.floor((now - suspect.ejectedUntil) / quiet);
  suspect.ejections = Math.min(Math.max(0, suspect.ejections - forgotten) + 1, mostTimes);
  suspect.ejectedUntil = now + time * suspect.ejections;
  suspect.startSlowly(suspect.ejectedUntil);
  suspect.outcomes.clear();
}
