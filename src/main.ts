import { readFileSync } from 'node:fs';
import { coloursFor, wantsColours } from './cli/colours.ts';
import type { CliCommand } from './cli/command.ts';
import { serveCommand } from './cli/serve.ts';
import { checkFiles } from './config/check-files.ts';
import type { Command } from './config/command.ts';
import { helpText } from './config/help.ts';
import { type Invocation, type LoadOptions, loadSettings, readCommandLine } from './config/load.ts';
import { SettingsError } from './config/settings-error.ts';
import { packageFile } from './package-file.ts';
import { checkModelSettings } from './serve/check-model-settings.ts';
import { checkKeyFiles } from './serve/open-keys.ts';
import { progressReporter } from './serve/progress.ts';
import type { Terminal } from './serve/terminal.ts';
import { checkTlsFiles } from './serve/tls-files.ts';
import { openWorkerContext, type WorkerContext } from './serve/workers/worker-context.ts';

const commandLine = {
  argv: process.argv.slice(2),
  environment: process.env,
  stdoutIsTerminal: process.stdout.isTTY,
};

/** What the loader of the built program does for it. */
interface ProgramLoader {
  /** Saves compiled code for the next start, where this one had to compile. */
  readonly saveCompiledCode: () => void;
}

/** Runs the command line of this process. */
export async function main(loader: ProgramLoader): Promise<void> {
  const worker = await openWorkerContext();
  process.exitCode = await exitCodeOf(openTerminal(loader, worker));
  worker?.disconnect();
}

async function exitCodeOf(terminal: Terminal): Promise<number> {
  try {
    return await run(terminal);
  } catch (error) {
    // A signal that interrupts the start is not an error.
    if (terminal.stop.aborted && error instanceof Error && error.name === 'AbortError') return 0;
    if (!(error instanceof SettingsError)) throw error;
    for (const problem of error.problems) terminal.err(`conch: ${problem}`);
    return error.exitCode;
  }
}

async function run(terminal: Terminal): Promise<number> {
  const { invocation, commands } = await readInvocation(terminal.worker);
  switch (invocation.action) {
    case 'help':
      terminal.out(
        helpText({
          commands: definitionsOf(commands),
          command: invocation.command,
          isFull: invocation.isFull,
          width: process.stdout.columns ?? 80,
          heading: coloursFor(terminal.isColoured).bold,
        }),
      );
      return 0;
    case 'version':
      terminal.out(`conch ${terminal.version}`);
      return 0;
    case 'check': {
      const problems = await checkFiles(invocation.settings);
      if (problems.length > 0) throw new SettingsError(problems);
      checkModelSettings(invocation.settings);
      await checkKeyFiles(invocation.settings);
      checkTlsFiles(invocation.settings);
      // It loads the template engine, which a start does not need.
      const { checkTemplates } = await import('./serve/check-templates.ts');
      await checkTemplates(invocation.settings);
      terminal.out('The settings are valid.');
      return 0;
    }
    case 'run': {
      const command = commands.find(({ definition }) => definition.name === invocation.command) ?? serveCommand;
      return command.run(invocation, terminal);
    }
  }
}

/** The invocation, and the commands that the command line was read with. */
interface ParsedCommandLine {
  readonly invocation: Invocation;
  readonly commands: readonly CliCommand[];
}

/** Most command lines are flags of `serve`, and need none of the other commands; any other is read with all of them. */
async function readInvocation(worker: WorkerContext | undefined): Promise<ParsedCommandLine> {
  const options = { ...commandLine, readFile: readOnce(), ...startOf(worker) };
  const plain = readPlainInvocation(options);
  if (plain) return plain;
  const { commands } = await import('./cli/commands.ts');
  return { invocation: readCommandLine({ ...options, commands: definitionsOf(commands) }), commands };
}

/** The file may be a pipe, which gives its text once. */
function readOnce(): (path: string) => string {
  const texts = new Map<string, string>();
  return (path) => {
    const text = texts.get(path) ?? readFileSync(path, 'utf8');
    texts.set(path, text);
    return text;
  };
}

function readPlainInvocation(options: LoadOptions): ParsedCommandLine | undefined {
  try {
    const invocation = readCommandLine(options);
    return invocation.action === 'help' ? undefined : { invocation, commands: [serveCommand] };
  } catch (error) {
    if (error instanceof SettingsError) return undefined;
    throw error;
  }
}

function definitionsOf([first = serveCommand, ...others]: readonly CliCommand[]): [Command, ...Command[]] {
  return [first.definition, ...others.map(({ definition }) => definition)];
}

function openTerminal({ saveCompiledCode }: ProgramLoader, worker: WorkerContext | undefined): Terminal {
  const progress = progressReporter({
    isInteractive: process.stderr.isTTY,
    width: process.stderr.columns || 80,
    write: (text) => process.stderr.write(text),
  });
  return {
    out: (text) => {
      progress.leave();
      console.log(text);
    },
    err: (text) => {
      progress.leave();
      console.error(text);
    },
    write: (text) => process.stdout.write(text),
    version: packageVersion(),
    environment: process.env,
    isInteractive: process.stdout.isTTY,
    isColoured: wantsColours(process.stdout.isTTY, process.env),
    streams: () => ({ input: process.stdin, output: process.stdout }),
    progress,
    settingsNow,
    saveCompiledCode,
    // A worker gets its signals from the primary.
    ...(worker
      ? { worker, stop: worker.stop, onHangUp: (listener) => worker.onHangUp(listener) }
      : { stop: stopOnSignals(), onHangUp }),
  };
}

/** The first signal asks to stop, the second one ends the process at once. */
function stopOnSignals(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      if (stop.signal.aborted) process.exit(1);
      stop.abort();
    });
  return stop.signal;
}

/** A terminal that is closed ends what runs in it. */
function onHangUp(listener: () => void): void {
  if (!process.stdout.isTTY) process.on('SIGHUP', listener);
}

function settingsNow(replacement?: string): ReturnType<Terminal['settingsNow']> {
  let text = replacement;
  const settings = loadSettings({ ...commandLine, readFile: (path) => (text ??= readFileSync(path, 'utf8')) });
  return { settings, text };
}

/** All workers start with the same text of the configuration file, including those that replace another later. */
function startOf(worker: WorkerContext | undefined): Pick<LoadOptions, 'readFile'> {
  const text = worker?.settingsText;
  return text === undefined ? {} : { readFile: () => text };
}

function packageVersion(): string {
  const file = packageFile('package.json') ?? '';
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
