import { type BenchOptions, bench } from '../../bench/bench.ts';
import type { Pace } from '../../bench/load/messages.ts';
import { LoadError } from '../../bench/load/worker-pool.ts';
import type { Report } from '../../bench/report/report.ts';
import { reportText } from '../../bench/report/text.ts';
import { openCaller, type Target } from '../../bench/target.ts';
import { type CommandInput, ownFlags } from '../../config/load.ts';
import type { Terminal } from '../../serve/terminal.ts';
import { readText, targetFrom } from '../client-flags.ts';
import { checkFlags } from './checks.ts';
import { compareReports } from './compare.ts';
import { type BenchFlags, benchDefinition } from './flags.ts';
import { checkOutputs, writeReports } from './outputs.ts';
import { promptsIn } from './prompts.ts';
import { counterOf, modelOf } from './server.ts';

/** Runs `conch bench`: exit code 1 when requests failed, 130 when it was interrupted. */
export async function runBench(input: CommandInput, terminal: Terminal): Promise<number> {
  const flags = ownFlags(input, benchDefinition);
  checkFlags(flags, input.flagNames);
  const [compared] = flags.compare;
  if (compared !== undefined) return compareReports(compared, terminal);
  await checkOutputs(flags);
  const target = await targetFrom(flags, terminal.environment);
  const options = await optionsFrom(flags, { input, terminal, target });
  const report = await bench(options).catch((error: unknown) => {
    if (!(error instanceof LoadError)) throw error;
    terminal.err(`conch: Nothing was measured. ${error.message}`);
  });
  if (report === undefined) return 1;
  terminal.out(reportText(report));
  await writeReports(report, flags);
  tellLostProcesses(report, flags, terminal);
  if (report.interrupted) return 130;
  if (report.failure) return 1;
  return report.levels.some(({ failed_count: failed, request_count: count }) => failed > 0 || count === 0) ? 1 : 0;
}

interface BenchContext {
  readonly input: CommandInput;
  readonly terminal: Terminal;
  readonly target: Target;
}

async function optionsFrom(flags: BenchFlags, { input, terminal, target }: BenchContext): Promise<BenchOptions> {
  const call = openCaller(target);
  const model = await modelOf(call, target, flags.model);
  const counter = await counterOf(flags.tokenizer, { input, terminal, call, model });
  return {
    version: terminal.version,
    target,
    model,
    counter,
    takesUsage: flags.serverTokenCount,
    endpoint: flags.endpoint,
    isStreaming: flags.streaming ?? flags.endpoint !== 'embeddings',
    paces: pacesOf(flags),
    extent: flags.requests === undefined ? { milliseconds: flags.duration ?? 10_000 } : { requests: flags.requests },
    warmup: flags.warmup,
    grace: flags.gracePeriod,
    timeout: flags.timeout,
    seed: flags.seed,
    prompts:
      flags.promptFile === undefined
        ? { count: Math.min(flags.distinctPrompts, flags.requests ?? flags.distinctPrompts), input: flags.inputTokens }
        : promptsIn(await readText(flags.promptFile, '--prompt-file'), flags.promptFile),
    output: flags.outputTokens,
    ignoresEnd: flags.ignoreEos,
    limitField: flags.limitField,
    extra: Object.fromEntries(flags.extra),
    watched: flags.pid,
    workers: flags.workers,
    stop: terminal.stop,
    onProgress: (step, share) => terminal.progress({ what: `  ${step}`, done: share, total: 1, unit: 'percent' }),
  };
}

function pacesOf({ rate, concurrency = [1], arrival, seed }: BenchFlags): Pace[] {
  if (rate === undefined) return concurrency.map((each) => ({ kind: 'concurrency', concurrency: each }));
  return rate.map((perSecond) => ({ kind: 'rate', perSecond, arrival, seed }));
}

function tellLostProcesses({ levels }: Report, { pid }: BenchFlags, terminal: Terminal): void {
  for (const { name, pid: number } of pid)
    if (levels.some(({ processes }) => processes.every((each) => each.pid !== number)))
      terminal.err(`--pid: ${name} (${number}) ended during the measurement, so the report does not include it.`);
}
