/** The other end of cpu-clock.mjs. */
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { LOGS } from '../processes.mjs';

const CLOCK = new URL('cpu-clock.mjs', import.meta.url).href;

/** The environment of a gateway whose CPU time can be read, and what reads it once the gateway runs. */
export function cpuClock() {
  const file = path.join(mkdtempSync(path.join(LOGS, 'cpu-')), 'clock');
  return {
    environment: { NODE_OPTIONS: `--import=${CLOCK}`, CPU_CLOCK: file },
    async connect() {
      const socket = net.connect(file);
      await once(socket, 'connect');
      return {
        /** Milliseconds of CPU time so far, of all threads. */
        async read() {
          socket.write('\n');
          const [line] = await once(socket, 'data');
          return Number(line) / 1000;
        },
        close: () => socket.destroy(),
      };
    },
  };
}
