/** Waits; whether the wait came to its end before a signal did. */
export function pauseFor(milliseconds: number, signals: readonly (AbortSignal | undefined)[]): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (isWhole: boolean): void => {
      clearTimeout(timer);
      for (const signal of signals) signal?.removeEventListener('abort', onAbort);
      resolve(isWhole);
    };
    const onAbort = (): void => finish(false);
    const timer = setTimeout(() => finish(true), milliseconds);
    for (const signal of signals) signal?.addEventListener('abort', onAbort, { once: true });
  });
}
