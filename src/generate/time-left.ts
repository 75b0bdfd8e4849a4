import { ApiError } from '../errors.ts';

/** Returns the remaining milliseconds of the timeout that all inferences of a request share. */
export function timeKeeper(timeout: number | undefined): () => number | undefined {
  const start = performance.now();
  return () => {
    if (timeout === undefined) return undefined;
    const left = timeout - (performance.now() - start);
    if (left < 1) throw new ApiError('deadline_exceeded', 'The response was not complete within the time limit.');
    return left;
  };
}
