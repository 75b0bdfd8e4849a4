/** Collects what goes to a client during a turn of the event loop. */
export interface TurnOutput {
  /** Writes what was collected in the turn that ends at this time (`performance.now()`). It does not throw. */
  flush(now: number): void;
}

let dirty: TurnOutput[] = [];

/**
 * Has an output flushed at the end of this turn, once per call. One immediate serves all of them: it runs right after the
 * poll phase, in which everything that arrived in this turn was read, so that a client is written to once per turn.
 */
export function flushAfterTurn(output: TurnOutput): void {
  if (dirty.length === 0) setImmediate(flushAll);
  dirty.push(output);
}

function flushAll(): void {
  const outputs = dirty;
  dirty = [];
  const now = performance.now();
  let flushed = 0;
  try {
    for (const output of outputs) {
      flushed++;
      output.flush(now);
    }
  } finally {
    // The others are flushed even if one throws, which it should not.
    for (const output of outputs.slice(flushed)) flushAfterTurn(output);
  }
}
