/** Collects output to a client during a turn of the event loop. */
export interface TurnOutput {
  /** Writes the output of the turn that ends at this time (`performance.now()`). It does not throw. */
  flush(now: number): void;
}

let dirty: TurnOutput[] = [];

/**
 * Flushes an output at the end of this turn, once per call. One immediate serves all of them. It runs right after the
 * poll phase, when everything that arrived in this turn was read, so there is one write per client and turn.
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
    // If one throws, which it should not, the others are flushed in the next turn.
    for (const output of outputs.slice(flushed)) flushAfterTurn(output);
  }
}
