import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';

/**
 * Runs a program beside a shell that waits on a pipe from this process. When this process ends, however it ends, the
 * pipe closes and the shell ends the program: first with a request, then by force.
 */
const guard = `
"$@" 3<&- &
program=$!
trap 'kill -TERM "$program" 2>/dev/null' TERM INT
( read -r _ <&3
  kill -TERM "$program" 2>/dev/null
  left=$CONCH_GUARD_SECONDS
  while [ "$left" -gt 0 ] && kill -0 "$program" 2>/dev/null; do sleep 1; left=$((left - 1)); done
  kill -KILL "$program" 2>/dev/null ) &
watcher=$!
exec 3<&-
wait "$program"; code=$?
while kill -0 "$program" 2>/dev/null; do wait "$program"; code=$?; done
kill "$watcher" 2>/dev/null
exit "$code"
`;

interface ChildOptions {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Seconds between the request to end and the end by force. */
  readonly graceSeconds: number;
  readonly onLine: (line: string) => void;
  /** Told once, with what is known of the end. */
  readonly onExit: (reason: string) => void;
}

/** A program that never outlives this process. */
export class GuardedChild {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;

  constructor({ command, environment, graceSeconds, onLine, onExit }: ChildOptions) {
    this.#child = spawn('/bin/sh', ['-c', guard, 'conch-guard', ...command], {
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      // A group of its own: Ctrl-C is for Conch, which lets running requests finish before it ends the program.
      detached: true,
      env: { ...environment, CONCH_GUARD_SECONDS: String(graceSeconds) },
    });
    const { stdout, stderr } = this.#child;
    if (stdout && stderr) for (const stream of [stdout, stderr]) readLines(stream, onLine);
    this.#exited = once(this.#child, 'exit').catch(() => undefined);
    this.#child.once('error', (error) => onExit(error.message));
    this.#child.once('exit', (code, signal) => onExit(exitText(code, signal)));
  }

  /** Asks the program to end, and resolves when it has. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null || this.#child.pid === undefined) return;
    // Closing the pipe is the request: the shell's watcher sends the signals.
    this.#child.stdio[3]?.destroy();
    await this.#exited;
  }
}

/** A shell reports a program that a signal ended as 128 and the number of the signal. */
function exitText(code: number | null, signal: NodeJS.Signals | null): string {
  if (signal !== null) return `it was ended by ${signal}`;
  if (code !== null && code > 128) return `it was ended by signal ${code - 128}`;
  return `it ended with code ${code}`;
}

function readLines(stream: Readable, onLine: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') onLine(line);
  });
  stream.once('end', () => {
    if (rest !== '') onLine(rest);
  });
}
