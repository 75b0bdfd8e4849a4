// Loaded into Conch by --import: SIGUSR2 begins a profile of the main thread, and the next one writes it into the file that is named in the environment.
// PROFILE_KIND is cpu (self times, every 100 µs) or heap (all that was allocated, also what was collected since).
import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import process from 'node:process';
import { isMainThread } from 'node:worker_threads';

const SAMPLING_MICROSECONDS = 100;
const SAMPLING_BYTES = 1024;
const collected = { includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true };

const file = process.env['PROFILE_FILE'] ?? '';
const isHeap = process.env['PROFILE_KIND'] === 'heap';

/** @param {Session} session */
async function begin(session) {
  session.connect();
  if (isHeap) {
    await session.post('HeapProfiler.startSampling', { samplingInterval: SAMPLING_BYTES, ...collected });
    return;
  }
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: SAMPLING_MICROSECONDS });
  await session.post('Profiler.start');
}

/** @param {Session} session */
async function end(session) {
  const { profile } = isHeap ? await session.post('HeapProfiler.stopSampling') : await session.post('Profiler.stop');
  writeFileSync(`${file}.new`, JSON.stringify(profile));
  renameSync(`${file}.new`, file);
  session.disconnect();
}

if (isMainThread) {
  /** @type {Session | undefined} */
  let session;
  process.on('SIGUSR2', () => {
    if (session !== undefined) void end(session);
    else void begin((session = new Session()));
  });
}
