import { describe, expect, it } from 'vitest';
import { workerFile } from './worker-file.ts';
import { ThreadError, WorkerThread } from './worker-thread.ts';

type Task =
  | { readonly kind: 'echo'; readonly value: unknown }
  | { readonly kind: 'data' }
  | { readonly kind: 'throw'; readonly message: string; readonly type?: string }
  | { readonly kind: 'hang' }
  | { readonly kind: 'exit' }
  | { readonly kind: 'notice'; readonly message: string };

interface Results extends Record<Task['kind'], unknown> {
  readonly echo: unknown;
}

const program = `
import { workerData } from 'node:worker_threads';
import { notify, runTasks } from '${workerFile('worker-program').href}';
runTasks((task) => {
  switch (task.kind) {
    case 'echo': return task.value;
    case 'data': return workerData;
    case 'throw': throw Object.assign(new Error(task.message), { kind: task.type });
    case 'hang': for (;;);
    case 'exit': process.exit(3);
    case 'notice': notify(task.message); return undefined;
  }
}, (value) => value instanceof Float64Array ? [value.buffer] : []);
`;

function thread(options: { tasksAtOnce?: number; data?: unknown; onNotice?: (message: string) => void } = {}) {
  const file = () => new URL(`data:text/javascript,${encodeURIComponent(program)}`);
  return new WorkerThread<Task, Results>({ name: 'test thread', file, ...options });
}

/** What a task came to, in one line. */
async function outcome(call: Promise<unknown>): Promise<unknown> {
  return call.catch((error: Error) =>
    error instanceof ThreadError ? `${error.reason} ${error.kind}: ${error.message}` : error.message,
  );
}

describe('WorkerThread', () => {
  it('gives each task its own result or error', async () => {
    const tested = thread({ data: { file: 'x' } });
    const calls = [
      tested.call({ kind: 'echo', value: { a: [1] } }),
      tested.call({ kind: 'throw', message: 'no', type: 'limit' }),
      tested.call({ kind: 'throw', message: 'no' }),
      tested.call({ kind: 'echo', value: new Float64Array([1.5]) }),
      tested.call({ kind: 'data' }),
      tested.call({ kind: 'echo', value: Symbol('x') }),
    ];
    expect(await Promise.all(calls.map(outcome))).toEqual([
      { a: [1] },
      'failure limit: no',
      'failure undefined: no',
      new Float64Array([1.5]),
      { file: 'x' },
      'Symbol(x) could not be cloned.',
    ]);
    await tested.stop();
  });

  it('replaces a thread whose task exceeds its time limit, and does the other tasks again', async () => {
    const tested = thread();
    const calls = [
      tested.call({ kind: 'hang' }, { timeLimit: 100 }),
      tested.call({ kind: 'hang' }, { timeLimit: 100 }),
      tested.call({ kind: 'echo', value: 1 }),
    ];
    const tooLong = 'timeout undefined: A task of the test thread took too long.';
    expect(await Promise.all(calls.map(outcome))).toEqual([tooLong, tooLong, 1]);
    await tested.stop();
  });

  it('fails the tasks of a thread that ends or is stopped, and starts another for the next', async () => {
    const tested = thread();
    const calls = [tested.call({ kind: 'exit' }), tested.call({ kind: 'echo', value: 1 })];
    const ended = 'end undefined: The test thread ended with code 3.';
    expect(await Promise.all(calls.map(outcome))).toEqual([ended, ended]);
    const running = outcome(tested.call({ kind: 'hang' }));
    await tested.stop();
    expect(await running).toBe('end undefined: The test thread was stopped.');
    expect([tested.isRunning, await tested.call({ kind: 'echo', value: 2 }), tested.isRunning]).toEqual([
      false,
      2,
      true,
    ]);
    await tested.stop();
  });

  it('holds tasks back beyond those at once, and drops those whose signal aborts meanwhile', async () => {
    const tested = thread({ tasksAtOnce: 1 });
    const left = new AbortController();
    const calls = [
      tested.call({ kind: 'exit' }),
      tested.call({ kind: 'echo', value: 1 }, { signal: left.signal }),
      tested.call({ kind: 'echo', value: 2 }),
    ];
    left.abort(new Error('left'));
    expect(await Promise.all(calls.map(outcome))).toEqual([
      'end undefined: The test thread ended with code 3.',
      'left',
      2,
    ]);
    await tested.stop();
  });

  it('passes notices on', async () => {
    const notices: string[] = [];
    const tested = thread({ onNotice: (message) => notices.push(message) });
    await tested.call({ kind: 'notice', message: 'disk full' });
    expect(notices).toEqual(['disk full']);
    await tested.stop();
  });
});
