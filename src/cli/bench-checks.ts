import { canWatch, usageOf } from '../bench/process-usage.ts';
import { SettingsError } from '../config/settings-error.ts';
import type { BenchFlags } from './bench-flags.ts';

/** Finds what no single flag can know. Throws a SettingsError. */
export function checkFlags(flags: BenchFlags): void {
  const { rate, concurrency, requests, duration, endpoint, streaming, pid, ca, insecure } = flags;
  const problems = [
    ...(rate && concurrency ? ['--rate and --concurrency exclude each other: a rate does not wait for answers.'] : []),
    ...(requests && duration ? ['--requests and --duration exclude each other: give one of them.'] : []),
    ...(endpoint === 'embeddings' && streaming ? ['--streaming: embeddings cannot be streamed.'] : []),
    ...(ca !== undefined && insecure ? ['--ca and --insecure exclude each other.'] : []),
    ...(pid.length > 0 && !canWatch()
      ? ['--pid: this system has no /proc, so what another process uses cannot be read.']
      : pid.filter((watched) => usageOf(watched.pid) === undefined).map((each) => `--pid: no process ${each.pid}.`)),
    ...(new Set(pid.map(({ name }) => name)).size < pid.length
      ? ['--pid: give each process a name of its own: --pid NAME=PID.']
      : []),
  ];
  if (problems.length > 0) throw new SettingsError(problems);
}
