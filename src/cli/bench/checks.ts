import { canWatch, usageOf } from '../../bench/process-usage.ts';
import { longFlag } from '../../config/setting.ts';
import { SettingsError } from '../../config/settings-error.ts';
import { clientProblems } from '../client-flags.ts';
import type { BenchFlags } from './flags.ts';

/** Finds contradictions between flags, and flags without an effect. Throws a SettingsError. */
export function checkFlags(flags: BenchFlags, flagNames: ReadonlySet<string>): void {
  const problems = [
    ...contradictions(flags),
    ...clientProblems(flags),
    ...processProblems(flags),
    ...idle(flags, flagNames),
  ];
  if (problems.length > 0) throw new SettingsError(problems);
}

function contradictions({ rate, concurrency, requests, duration, endpoint, streaming, compare }: BenchFlags) {
  const most = Math.max(...(concurrency ?? [0]));
  return [
    ...(compare.length > 1 ? ['--compare can be set only once. Remove the others.'] : []),
    ...(rate && concurrency
      ? ['--rate and --concurrency exclude each other: a rate does not wait for responses. Set one of them.']
      : []),
    ...(requests && duration ? ['--requests and --duration exclude each other. Set one of them.'] : []),
    ...(requests && most > requests
      ? [`--concurrency ${most} is never reached with --requests ${requests}. Set --requests to at least ${most}.`]
      : []),
    ...(endpoint === 'embeddings' && streaming ? ['--streaming: embeddings cannot be streamed. Remove it.'] : []),
  ];
}

function processProblems({ pid }: BenchFlags): string[] {
  return [
    ...(pid.length > 0 && !canWatch()
      ? ['--pid needs /proc, which this system does not have. Remove it.']
      : pid
          .filter((watched) => usageOf(watched.pid) === undefined)
          .map((each) => `--pid: there is no process ${each.pid}. Check the number.`)),
    ...(new Set(pid.map(({ name }) => name)).size < pid.length
      ? ['--pid: two processes have the same name. Write --pid NAME=PID with different names.']
      : []),
  ];
}

/** Flags that are set and have no effect. */
function idle(
  { compare, promptFile, requests, rate, endpoint, url }: BenchFlags,
  flagNames: ReadonlySet<string>,
): string[] {
  if (compare.length > 0)
    return unused(
      [...flagNames].filter((name) => name !== 'compare'),
      'with --compare',
    );
  const rules: readonly (readonly [applies: boolean, names: readonly (keyof BenchFlags)[], when: string])[] = [
    [promptFile !== undefined, ['inputTokens', 'distinctPrompts'], 'with --prompt-file'],
    [requests !== undefined, ['gracePeriod'], 'with --requests'],
    [rate === undefined, ['arrival'], 'without --rate'],
    [endpoint === 'embeddings', ['outputTokens', 'ignoreEos', 'limitField'], 'on embeddings'],
    [url.startsWith('http://'), ['ca', 'insecure'], 'on a URL that begins with http://'],
  ];
  return rules.flatMap(([applies, names, when]) =>
    applies
      ? unused(
          names.filter((name) => flagNames.has(name)),
          when,
        )
      : [],
  );
}

function unused(names: readonly string[], when: string): string[] {
  return names.map((name) => `${longFlag(name)} has no effect ${when}. Remove it.`);
}
