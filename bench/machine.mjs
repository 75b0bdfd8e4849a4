/** What a run was measured on, in the same words in every section of docs/benchmarks.md. */
import { availableParallelism, cpus, loadavg } from 'node:os';

/** @typedef {{ started: string, node: string, cores: number, model: string, loadBefore: number }} Machine */

/**
 * To be asked before anything is built or started.
 * @returns {Machine}
 */
export function thisMachine() {
  return {
    started: new Date().toISOString(),
    node: process.version,
    cores: availableParallelism(),
    model: cpus()[0]?.model ?? 'unknown',
    loadBefore: loadavg()[0] ?? 0,
  };
}

/**
 * Whether it had other work before the run: more than half of its cores.
 * @param {Machine} machine
 */
export const wasBusy = ({ loadBefore, cores }) => loadBefore > cores / 2;

/** @param {Machine} machine */
export function machineWords(machine) {
  const { started, node, cores, model, loadBefore } = machine;
  const when = `Run of ${started.slice(0, 16).replace('T', ' ')} UTC on Node ${node}, ${cores} cores (${model}), load average ${loadBefore.toFixed(1)} before it`;
  return wasBusy(machine)
    ? `${when}: **the machine was busy with other work, so do not quote these figures.**`
    : `${when}.`;
}
