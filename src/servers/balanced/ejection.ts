import type { ServerState } from './server-state.ts';

/** A server can be ejected once it had this many inferences in the last half minute. */
const fewest = 10;

/** How far its failure rate must be above that of the others. */
const margin = 0.3;

/** A server that keeps failing is ejected for up to this many times the first ejection time. */
const mostTimes = 30;

/** One ejection is forgotten after each span of this many milliseconds without another. */
const quiet = 60_000;

/** Ejects a server for a while if it fails far more than the others, unless half of them are ejected already. */
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
