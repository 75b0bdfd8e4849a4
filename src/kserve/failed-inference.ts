import type { ResponseSink, RunningInference } from './server.ts';

/** An inference that failed before it started: for a server that knows at once that it cannot run it. */
export function failedInference(error: unknown, sink: ResponseSink): RunningInference {
  let isOver = false;
  const end = (reason: unknown): void => {
    if (isOver) return;
    isOver = true;
    if (reason !== undefined) sink.end(reason);
  };
  queueMicrotask(() => end(error));
  return { pause: nothing, resume: nothing, cancel: end };
}

function nothing(): void {
  // It sends nothing.
}
