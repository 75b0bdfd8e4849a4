// Loaded into a process by --import: at SIGUSR2 it writes, into the file that is named in the environment, the longest
// time in milliseconds that the event loop was held since the last signal, and the 99th percentile.
import { renameSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import process from 'node:process';

const file = process.env['CONCH_TEST_LOOP_FILE'];
const delay = monitorEventLoopDelay({ resolution: 2 });
delay.enable();
process.on('SIGUSR2', () => {
  writeFileSync(`${file}.new`, JSON.stringify({ max: delay.max / 1e6, p99: delay.percentile(99) / 1e6 }));
  renameSync(`${file}.new`, file);
  delay.reset();
});
