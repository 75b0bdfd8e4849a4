import { ApiError } from '../errors.ts';

/** Tells how much is left of the time that all inferences of a request have together, in milliseconds. */
export function timeKeeper(timeout: number | undefined): () => number | undefined {
  const start = performance.now();
  return () => {
    if (timeout === undefined) return undefined;
    const left = timeout - (performance.now() - start);
    if (left < 1) throw new ApiError('deadline_exceeded', 'The answer was not complete within the time limit.');
    return left;
  };
}
