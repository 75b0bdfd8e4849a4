import { canWatch, usageOf } from '../../bench/process-usage.ts';
import { longFlag } from '../../config/setting.ts';
import { SettingsError } from '../../config/settings-error.ts';
import { clientProblems } from '../client-flags.ts';
import type { BenchFlags } from './flags.ts';

/** Finds what no single flag can know, and flags that would have no effect. Throws a SettingsError. */
export function checkFlags(flags: BenchFlags, given: ReadonlySet<string>): void {
  const problems = [
    ...contradictions(flags),
    ...clientProblems(flags),
    ...processProblems(flags),
    ...idle(flags, given),
  ];
  if (problems.length > 0) throw new SettingsError(problems);
}

function contradictions({ rate, concurrency, requests, duration, endpoint, streaming, compare }: BenchFlags) {
  const most = Math.max(...(concurrency ?? [0]));
  return [
    ...(compare.length > 1 ? ['--compare can be given once.'] : []),
    ...(rate && concurrency ? ['--rate and --concurrency exclude each other: a rate does not wait for answers.'] : []),
    ...(requests && duration ? ['--requests and --duration exclude each other: give one of them.'] : []),
    ...(requests && most > requests
      ? [`--concurrency ${most} is never reached with --requests ${requests}: give at least as many requests.`]
      : []),
    ...(endpoint === 'embeddings' && streaming ? ['--streaming: embeddings cannot be streamed.'] : []),
  ];
}

function processProblems({ pid }: BenchFlags): string[] {
  return [
    ...(pid.length > 0 && !canWatch()
      ? ['--pid: this system has no /proc, so what another process uses cannot be read.']
      : pid.filter((watched) => usageOf(watched.pid) === undefined).map((each) => `--pid: no process ${each.pid}.`)),
    ...(new Set(pid.map(({ name }) => name)).size < pid.length
      ? ['--pid: give each process a name of its own: --pid NAME=PID.']
      : []),
  ];
}

/** Flags that were written and change nothing. */
function idle(
  { compare, promptFile, requests, rate, endpoint, url }: BenchFlags,
  given: ReadonlySet<string>,
): string[] {
  if (compare.length > 0)
    return unused(
      [...given].filter((name) => name !== 'compare'),
      'with --compare',
    );
  const rules: readonly (readonly [applies: boolean, names: readonly (keyof BenchFlags)[], when: string])[] = [
    [promptFile !== undefined, ['inputTokens', 'distinctPrompts'], 'with --prompt-file'],
    [requests !== undefined, ['gracePeriod'], 'with --requests'],
    [rate === undefined, ['arrival'], 'without --rate'],
    [endpoint === 'embeddings', ['outputTokens', 'ignoreEos', 'limitField'], 'on embeddings'],
    [url.startsWith('http://'), ['ca', 'insecure'], 'on an address that begins with http://'],
  ];
  return rules.flatMap(([applies, names, when]) =>
    applies
      ? unused(
          names.filter((name) => given.has(name)),
          when,
        )
      : [],
  );
}

function unused(names: readonly string[], when: string): string[] {
  return names.map((name) => `${longFlag(name)} has no effect ${when}.`);
}
