#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { benchCommand } from './cli/bench.ts';
import { checkModelSettings } from './cli/check-model-settings.ts';
import type { CliCommand, Terminal } from './cli/command.ts';
import { doctorCommand } from './cli/doctor.ts';
import { engineInstallCommand } from './cli/engine-install.ts';
import { generateCommand } from './cli/generate.ts';
import { keysCreateCommand } from './cli/keys-create.ts';
import { keysListCommand } from './cli/keys-list.ts';
import { keysRevokeCommand } from './cli/keys-revoke.ts';
import { modelsCommand } from './cli/models.ts';
import { checkKeyFiles } from './cli/open-keys.ts';
import { progressReporter } from './cli/progress.ts';
import { repoCheckCommand } from './cli/repo-check.ts';
import { repoFillCommand } from './cli/repo-fill.ts';
import { repoInitCommand } from './cli/repo-init.ts';
import { serveCommand } from './cli/serve.ts';
import { checkTlsFiles } from './cli/tls-files.ts';
import { type Seat, takeSeat } from './cli/workers/seat.ts';
import { checkFiles } from './config/check-files.ts';
import { helpText } from './config/help.ts';
import { loadSettings, readCommandLine } from './config/load.ts';
import { SettingsError } from './config/settings-error.ts';

const commands: readonly [CliCommand, ...CliCommand[]] = [
  serveCommand,
  modelsCommand,
  doctorCommand,
  generateCommand,
  engineInstallCommand,
  repoInitCommand,
  repoFillCommand,
  repoCheckCommand,
  keysCreateCommand,
  keysListCommand,
  keysRevokeCommand,
  benchCommand,
];

const commandLine = {
  argv: process.argv.slice(2),
  environment: process.env,
  commands: commands.map(({ definition }) => definition) as [(typeof commands)[0]['definition']],
  stdoutIsTerminal: process.stdout.isTTY,
};

const seat = await takeSeat();
process.exitCode = await main();
seat?.leave();

async function main(): Promise<number> {
  const terminal = openTerminal();
  try {
    return await run(terminal);
  } catch (error) {
    // What a signal breaks off in the middle of a start is no fault.
    if (terminal.stop.aborted && error instanceof Error && error.name === 'AbortError') return 0;
    if (!(error instanceof SettingsError)) throw error;
    for (const problem of error.problems) terminal.err(`conch: ${problem}`);
    return error.exitCode;
  }
}

async function run(terminal: Terminal): Promise<number> {
  const invocation = readCommandLine(seat ? { ...commandLine, ...startOf(seat) } : commandLine);
  switch (invocation.action) {
    case 'help':
      terminal.out(
        helpText({ commands: commandLine.commands, command: invocation.command, width: process.stdout.columns ?? 80 }),
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
      terminal.out('The settings are valid.');
      return 0;
    }
    case 'run': {
      const command = commands.find(({ definition }) => definition.name === invocation.command) ?? serveCommand;
      return command.run(invocation, terminal);
    }
  }
}

function openTerminal(): Terminal {
  return {
    out: (text) => console.log(text),
    err: (text) => console.error(text),
    write: (text) => process.stdout.write(text),
    version: packageVersion(),
    environment: process.env,
    isInteractive: process.stdout.isTTY,
    progress: progressReporter({
      isInteractive: process.stderr.isTTY,
      width: process.stderr.columns ?? 80,
      write: (text) => process.stderr.write(text),
    }),
    settingsNow,
    // What a worker hears, it hears from its primary.
    ...(seat
      ? { seat, stop: seat.stop, onHangUp: (listener) => seat.onHangUp(listener) }
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

function settingsNow(given?: string): ReturnType<Terminal['settingsNow']> {
  let text = given;
  const settings = loadSettings({ ...commandLine, readFile: (path) => (text ??= readFileSync(path, 'utf8')) });
  return { settings, text };
}

/** All workers start with the same file, also one that takes the place of another later. */
function startOf({ settingsText }: Seat): Pick<Parameters<typeof readCommandLine>[0] & object, 'readFile'> {
  return settingsText === undefined ? {} : { readFile: () => settingsText };
}

function packageVersion(): string {
  const file = new URL('../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
