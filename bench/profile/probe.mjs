// Loaded into a gateway of Node by --import: SIGUSR2 begins to watch its main thread, and the next one writes what was seen into a file. Both
// are named in the environment, the kind as one of `kinds` below. probe-control.mjs is the other end.
import { createHook } from 'node:async_hooks';
import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import process from 'node:process';
import { promiseHooks } from 'node:v8';
import { isMainThread } from 'node:worker_threads';
import { watchLoop } from './loop-delay.mjs';

const SAMPLING_MICROSECONDS = 100;
const SAMPLING_BYTES = 1024;
const collected = { includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true };

/** Self times, every 100 µs. */
async function cpu() {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: SAMPLING_MICROSECONDS });
  await session.post('Profiler.start');
  return async () => (await session.post('Profiler.stop')).profile;
}

/**
 * What was allocated, also what was collected since.
 * @param {number} samplingInterval in bytes
 */
async function allocations(samplingInterval) {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.startSampling', { samplingInterval, ...collected });
  return async () => (await session.post('HeapProfiler.stopSampling')).profile;
}

/** With an interval of one byte V8 takes every object as a sample: the list is all of them. */
async function objects() {
  const stop = await allocations(1);
  return async () => {
    // The type of Node's lacks the list.
    const { samples } = /** @type {{ samples: { size: number }[] }} */ (/** @type {unknown} */ (await stop()));
    return { objects: samples.length, bytes: samples.reduce((sum, { size }) => sum + size, 0) };
  };
}

/**
 * Promises and awaits, the callbacks that ran for them (microtasks), and what else was put into a queue of Node. V8 shows an `await` as a
 * promise of its own while hooks are on, so the two cannot be told apart.
 */
async function promises() {
  const counts = { promises: 0, microtasks: 0, ticks: 0, immediates: 0, timers: 0 };
  /** @type {Readonly<Record<string, keyof typeof counts>>} */
  const types = { Microtask: 'microtasks', TickObject: 'ticks', Immediate: 'immediates', Timeout: 'timers' };
  const hook = createHook({
    init: (_, type) => {
      const name = types[type];
      if (name !== undefined) counts[name]++;
    },
  }).enable();
  const stops = [
    promiseHooks.onInit(() => {
      counts.promises++;
    }),
    promiseHooks.onBefore(() => {
      counts.microtasks++;
    }),
  ];
  return async () => {
    for (const stop of /** @type {(() => void)[]} */ (stops)) stop();
    hook.disable();
    return counts;
  };
}

/** @type {Readonly<Record<string, () => Promise<() => Promise<unknown>>>>} */
const kinds = { cpu, heap: () => allocations(SAMPLING_BYTES), objects, promises, loop: async () => watchLoop() };

/**
 * @param {string} name
 * @param {unknown} value
 */
function write(name, value) {
  const file = `${process.env['PROBE_FILE']}.${name}`;
  writeFileSync(`${file}.new`, JSON.stringify(value));
  renameSync(`${file}.new`, file);
}

const begin = kinds[process.env['PROBE_KIND'] ?? ''];
if (isMainThread && begin !== undefined) {
  /** @type {Promise<() => Promise<unknown>> | undefined} */
  let watching;
  const toggle = async () => {
    if (watching === undefined) {
      watching = begin();
      await watching;
      write('begun', true);
      return;
    }
    const end = await watching;
    watching = undefined;
    write('ended', await end());
  };
  process.on('SIGUSR2', () => void toggle());
}
