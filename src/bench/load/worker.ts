import { setMaxListeners } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { now } from './clock.ts';
import { generateLoad, type LoadOptions } from './generate-load.ts';
import { HttpClient, httpRequest } from './http-client.ts';
import {
  type FromWorker,
  type Outcome,
  type ToWorker,
  timelineStep,
  type Warmup,
  type WorkerTask,
} from './messages.ts';
import { endpointPaths, type Sender, send, stoppedEarly } from './send.ts';

// A process that generates a part of the load. Its parent sends the task and the start, and it exits with its parent.

const progressMilliseconds = 100;
const stop = new AbortController();
// Each open request adds a listener.
setMaxListeners(0, stop.signal);
const textCounts = new Map<number, number>();
let outcomes: Outcome[] = [];
let cut = 0;
let measure: () => void = () => undefined;

process.on('message', (message: ToWorker) => {
  switch (message.kind) {
    case 'prepare':
      run(message.task).catch((error: unknown) => tell({ kind: 'failed', message: String(error) }));
      break;
    case 'measure':
      measure();
      break;
    case 'stop':
      stop.abort();
      measure();
      break;
  }
});
process.on('disconnect', () => process.exit(0));
// Ctrl-C reaches every process of the terminal; the parent decides what to do.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);

async function run(task: WorkerTask): Promise<void> {
  const { target, endpoint, isStreaming, timeout, keepsTexts } = task;
  const client = new HttpClient(target);
  const headers = { ...(isStreaming ? { accept: 'text/event-stream' } : {}), ...target.headers };
  const [requests, warmups] = [task.bodies, task.warmupBodies].map((bodies) =>
    bodies.map((body) => httpRequest({ ...target, headers }, endpointPaths[endpoint], body)),
  );
  const sender: Sender = {
    client,
    endpoint,
    isStreaming,
    timeout,
    keepsTexts,
    stop: stop.signal,
    onText: () => undefined,
  };
  const asking =
    (from: Sender, all: readonly Buffer[] = []): LoadOptions['send'] =>
    (index) =>
      send(from, index, all[index % all.length] as Buffer);
  const warmup = await warmUp(task, asking(sender, warmups));
  const begin = new Promise<void>((resolve) => (measure = resolve));
  tell({ kind: 'ready', warmup });
  await begin;
  const grace = new AbortController();
  const ending = AbortSignal.any([stop.signal, grace.signal]);
  setMaxListeners(0, ending);
  const { extent } = task;
  const timer =
    'milliseconds' in extent ? setTimeout(() => grace.abort(), extent.milliseconds + task.grace) : undefined;
  await measured(task, asking({ ...sender, stop: ending, onText: countText }, requests));
  clearTimeout(timer);
  client.close();
}

async function warmUp(task: WorkerTask, ask: LoadOptions['send']): Promise<Warmup> {
  const { pace, warmup } = task;
  let succeeded = 0;
  const errors: string[] = [];
  // A rate needs no ramp: the warm-up is for the server and the connections.
  const concurrency = pace.kind === 'concurrency' ? pace.concurrency : task.workers;
  await generateLoad({
    task: { ...task, pace: { kind: 'concurrency', concurrency }, extent: { requests: warmup } },
    send: ask,
    onOutcome: ({ error }) => {
      if (error === undefined) succeeded++;
      else errors.push(error);
    },
    stop: stop.signal,
  });
  return { succeeded, errors };
}

async function measured(task: WorkerTask, ask: LoadOptions['send']): Promise<void> {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  const cpu = process.cpuUsage();
  const startedAt = now();
  delay.enable();
  const reports = setInterval(report, progressMilliseconds);
  const lateness = await generateLoad({ task, send: ask, onOutcome: take, stop: stop.signal });
  clearInterval(reports);
  delay.disable();
  const { user, system } = process.cpuUsage(cpu);
  report();
  tell({
    kind: 'done',
    textCounts: [...textCounts],
    cost: {
      cpuMilliseconds: (user + system) / 1000,
      wallMilliseconds: now() - startedAt,
      // The monitor counts from its own resolution on.
      loopDelay: Math.max(0, (delay.percentile(99) || 0) / 1e6 - 10),
      lateness,
      cut,
    },
  });
}

function take(outcome: Outcome): void {
  if (outcome.error !== stoppedEarly) outcomes.push(outcome);
  else if (!stop.signal.aborted) cut++;
}

function countText(at: number): void {
  const step = Math.floor(at / timelineStep);
  textCounts.set(step, (textCounts.get(step) ?? 0) + 1);
}

/** Sends the outcomes since the last report. */
function report(): void {
  tell({ kind: 'progress', outcomes });
  outcomes = [];
}

function tell(message: FromWorker): void {
  process.send?.(message);
}
