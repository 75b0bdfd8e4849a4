// The machine's monotonic clock is one for all processes; a process's own origin is not.
const offset = Number(process.hrtime.bigint()) / 1e6 - performance.now();

/** Milliseconds of a clock that all processes of the machine share. */
export function now(): number {
  return performance.now() + offset;
}
