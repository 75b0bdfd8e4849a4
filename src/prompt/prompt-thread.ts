import { workerFile } from '../worker-file.ts';
import { ThreadError, WorkerThread } from '../worker-thread.ts';
import { TemplateError } from './jinja/values.ts';
import type { WorkerResults, WorkerTask } from './worker-messages.ts';

// A template ends itself at its limit; this much later it is taken for one that cannot.
const grace = 500;

/** One thread for all models' tokenizers and for large templates. */
const thread = new WorkerThread<WorkerTask, WorkerResults>({
  name: 'prompt thread',
  file: () => workerFile('prompt/worker'),
  memory: 1024,
});

/** The one prompt thread of this process. */
export const promptThread = {
  /** Does a task off the event loop. */
  ask: <Kind extends WorkerTask['kind']>(task: Extract<WorkerTask, { kind: Kind }>): Promise<WorkerResults[Kind]> =>
    thread.call<Kind>(task, { timeLimit: 'time' in task ? task.time + grace : undefined }).catch((error: unknown) => {
      throw error instanceof ThreadError ? explained(error) : error;
    }),

  /** Ends the thread; the next task starts another. */
  stop: (): Promise<void> => thread.stop(),
};

function explained(error: ThreadError): Error {
  switch (error.reason) {
    case 'timeout':
      return new TemplateError('The chat template takes too long for this conversation.', 'limit');
    case 'end':
      return new Error(`Tokenizing failed: ${error.message}`, { cause: error });
    case 'failure':
      return error.kind === undefined ? error : new TemplateError(error.message, error.kind as TemplateError['kind']);
  }
}
