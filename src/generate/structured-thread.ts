import type { Verdict } from '../json-schema/validate.ts';
import type { Signal } from '../signal.ts';
import { workerFile } from '../worker-file.ts';
import { ThreadError, WorkerThread } from '../worker-thread.ts';
import type { CheckTask, WorkerStructure } from './structured-worker.ts';

/** Milliseconds that the check of one text may take. */
const timeLimit = 1000;

/** One text at a time: a text that exceeds its limit ends the thread, but no other check. */
const thread = new WorkerThread<CheckTask, { check: Verdict }>({
  name: 'structure thread',
  file: () => workerFile('generate/structured-worker'),
  memory: 512,
  tasksAtOnce: 1,
});

/** The only thread of this process for structured output. */
export const structuredThread = {
  /** Checks a whole text off the event loop. A check that is still queued when the signal aborts is dropped. */
  async judge(structure: WorkerStructure, text: string, signal: Signal): Promise<Verdict> {
    try {
      return await thread.call<'check'>({ kind: 'check', structure, text }, { timeLimit, signal });
    } catch (error) {
      if (!(error instanceof ThreadError)) throw error;
      if (error.reason === 'timeout')
        return { kind: 'undecided', message: 'takes too long to check against a response. Simplify it.' };
      throw new Error('A response could not be checked.', { cause: error });
    }
  },
};
