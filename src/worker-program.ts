import { parentPort } from 'node:worker_threads';
import type { ThreadMessage, ThreadRequest } from './worker-thread.ts';

/**
 * Runs the tasks that a WorkerThread sends to this thread. What a task throws reaches the caller as its message and its
 * `kind`. `buffersOf` names what of a result is handed over instead of copied.
 */
export function runTasks<Result>(
  perform: (task: never) => Result | Promise<Result>,
  buffersOf: (result: Result) => ArrayBuffer[] = () => [],
): void {
  const run = async ({ id, task, isTimed }: ThreadRequest<unknown>): Promise<void> => {
    try {
      if (isTimed) post({ type: 'begin', id });
      const value = await perform(task as never);
      post({ type: 'result', id, value }, buffersOf(value));
    } catch (error) {
      const { message, kind } =
        error instanceof Error ? (error as Error & { kind?: unknown }) : { message: String(error) };
      post({ type: 'failure', id, message, kind: typeof kind === 'string' ? kind : undefined });
    }
  };
  parentPort?.on('message', (request: ThreadRequest<unknown>) => void run(request));
}

/** Sends the caller a message that belongs to no task. */
export function notify(message: string): void {
  post({ type: 'notice', message });
}

function post(message: ThreadMessage, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer);
}
