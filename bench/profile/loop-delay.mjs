import { readFileSync } from 'node:fs';
import { createHistogram, performance } from 'node:perf_hooks';
import process from 'node:process';

const STEP = 2;

/** Nanoseconds that the main thread has run, and has waited for a core. */
function schedule() {
  const [ran = 0, waited = 0] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1')
    .split(' ')
    .map(Number);
  return { ran, waited };
}

/**
 * Watches the event loop of this thread until the function that is returned is called. That gives, in milliseconds, how late a timer of 2 ms
 * came, and how much of that was CPU time of its own thread rather than waiting for a core.
 */
export function watchLoop() {
  const late = createHistogram();
  const held = createHistogram();
  let last = { at: performance.now(), ...schedule() };
  const first = last;
  const timer = setInterval(() => {
    const now = { at: performance.now(), ...schedule() };
    late.record(Math.max(1, Math.round((now.at - last.at - STEP) * 1e6)));
    held.record(Math.max(1, now.ran - last.ran));
    last = now;
  }, STEP).unref();
  return async () => {
    clearInterval(timer);
    return {
      lateP99: late.percentile(99) / 1e6,
      lateMax: late.max / 1e6,
      heldP99: held.percentile(99) / 1e6,
      heldMax: held.max / 1e6,
      waitPercent: (last.waited - first.waited) / 1e4 / (last.at - first.at),
    };
  };
}
