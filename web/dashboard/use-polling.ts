import { useEffect } from 'preact/hooks';

/** Runs a task now and again, each time so long after the last one ended; never while nobody can see the page. */
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
