// All processes share the monotonic clock of the machine, but performance.now() starts at an origin of its own.
const offset = Number(process.hrtime.bigint()) / 1e6 - performance.now();

/** Milliseconds of a clock that all processes of the machine share. */
export function now(): number {
  return performance.now() + offset;
}
