import type { Signal } from '../signal.ts';
/** Whether work ends within so many milliseconds and before the signal aborts. Throws if the work fails. */
export async function settlesWithin(work: Promise<void>, milliseconds: number, signal: Signal): Promise<boolean> {
  let stop = (): void => undefined;
  const stopped = new Promise<boolean>((resolve) => {
    stop = () => resolve(false);
  });
  const timer = setTimeout(stop, Math.max(0, milliseconds));
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await Promise.race([work.then(() => true), stopped]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}
