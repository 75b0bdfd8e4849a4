import { parentPort, workerData } from 'node:worker_threads';
import { SqliteDesk } from './sqlite-desk.ts';
import { sqliteFault } from './sqlite-faults.ts';
import type { ThreadAnswer, ThreadRequest, ThreadStart } from './thread-messages.ts';

// The thread of a SQLite store: whoever waits for the disk waits here.

const { file, limits } = workerData as ThreadStart;
let desk: SqliteDesk | undefined;

function answer(message: ThreadAnswer): void {
  parentPort?.postMessage(message);
}

function opened(): SqliteDesk {
  const onFault = (error: unknown): void =>
    answer({ kind: 'background-fault', message: sqliteFault(error, file).message });
  desk ??= new SqliteDesk({ file, limits, onFault });
  return desk;
}

async function perform({ number, task }: ThreadRequest): Promise<void> {
  try {
    answer({ kind: 'result', number, value: await opened().perform(task) });
  } catch (error) {
    answer({ kind: 'fault', number, message: sqliteFault(error, file).message });
  }
}

parentPort?.on('message', (request: ThreadRequest) => void perform(request));
