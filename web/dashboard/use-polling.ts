import { useEffect } from 'preact/hooks';

/** Runs a task now, then repeatedly with this pause after each run. Skips it while the tab is hidden. */
export function usePolling(task: (signal: AbortSignal) => Promise<void>, milliseconds: number): void {
  useEffect(() => {
    const end = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const turn = async (): Promise<void> => {
      if (!document.hidden) await task(end.signal);
      if (!end.signal.aborted) timer = setTimeout(() => void turn(), milliseconds);
    };
    void turn();
    return () => {
      end.abort();
      clearTimeout(timer);
    };
  }, [task, milliseconds]);
}
