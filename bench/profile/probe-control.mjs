/** The other end of probe.mjs: begins and ends it in a gateway that runs. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LOGS } from '../processes.mjs';

const PROBE = new URL('probe.mjs', import.meta.url).href;
const POLL_MILLISECONDS = 20;
/** A profile of many objects takes a while to write. */
const MOST_MILLISECONDS = 60_000;

/** @typedef {'cpu' | 'heap' | 'objects' | 'promises' | 'loop'} ProbeKind */

/**
 * The environment in which a gateway of Node is started so that it can be watched, and how it is.
 * @param {ProbeKind} kind
 */
export function probe(kind) {
  const file = path.join(mkdtempSync(path.join(LOGS, 'probe-')), kind);
  /**
   * @param {number} pid
   * @param {string} name
   */
  const signal = async (pid, name) => {
    const written = `${file}.${name}`;
    process.kill(pid, 'SIGUSR2');
    for (let waited = 0; !existsSync(written); waited += POLL_MILLISECONDS) {
      if (waited > MOST_MILLISECONDS) throw new Error(`The probe "${kind}" of process ${pid} has not ${name}.`);
      await sleep(POLL_MILLISECONDS);
      // Throws where the process has ended.
      process.kill(pid, 0);
    }
    const value = JSON.parse(readFileSync(written, 'utf8'));
    rmSync(written);
    return value;
  };
  return {
    environment: { NODE_OPTIONS: `--import=${PROBE}`, PROBE_KIND: kind, PROBE_FILE: file },
    /** @param {number} pid */
    begin: (pid) => signal(pid, 'begun'),
    /**
     * What was seen since the beginning: `any`, as each kind gives its own.
     * @param {number} pid
     * @returns {Promise<any>}
     */
    end: (pid) => signal(pid, 'ended'),
  };
}
