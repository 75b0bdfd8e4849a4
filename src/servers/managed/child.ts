import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';

/**
 * Runs a program beside a shell that waits on a pipe from this process. When this process ends, however it ends, the
 * pipe closes and the shell ends the program: first with SIGTERM, then with SIGKILL. A killed tritonserver leaves the
 * processes of its Python models behind. The shell kills them with its process group, and reports the exit code over a
 * separate pipe before that.
 */
const guard = `
"$@" 3<&- 4>&- &
program=$!
trap 'kill -TERM "$program" 2>/dev/null' TERM INT
( read -r _ <&3
  kill -TERM "$program" 2>/dev/null
  left=$CONCH_GUARD_SECONDS
  while [ "$left" -gt 0 ] && kill -0 "$program" 2>/dev/null; do sleep 1; left=$((left - 1)); done
  kill -KILL "$program" 2>/dev/null ) 4>&- &
exec 3<&-
wait "$program"; code=$?
while kill -0 "$program" 2>/dev/null; do wait "$program"; code=$?; done
echo "$code" >&4
kill -KILL 0
`;

interface ChildOptions {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Seconds between SIGTERM and SIGKILL. */
  readonly graceSeconds: number;
  readonly onLine: (line: string) => void;
  /** Called once, with the reason of the end. */
  readonly onExit: (reason: string) => void;
}

/** A program that never outlives this process. */
export class GuardedChild {
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;

  constructor({ command, environment, graceSeconds, onLine, onExit }: ChildOptions) {
    this.#child = spawn('/bin/sh', ['-c', guard, 'conch-guard', ...command], {
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
      // A separate group: Ctrl-C reaches only Conch, which lets running requests finish before it ends the program.
      detached: true,
      env: { ...environment, CONCH_GUARD_SECONDS: String(graceSeconds) },
    });
    let code = '';
    const { stdout, stderr, stdio } = this.#child;
    for (const stream of [stdout, stderr]) if (stream) readLines(stream, onLine);
    (stdio[4] as Readable | undefined)?.setEncoding('utf8').on('data', (text: string) => (code += text));
    this.#exited = new Promise((resolve) => {
      let hasEnded = false;
      const end = (reason: string): void => {
        if (hasEnded) return;
        hasEnded = true;
        onExit(reason);
        resolve();
      };
      this.#child.once('error', (error) => end(error.message));
      this.#child.once('close', () => end(exitText(Number(code))));
    });
  }

  /** Asks the program to end, and resolves when it has. */
  async stop(): Promise<void> {
    // Closing the pipe is the request: the shell's watcher sends the signals.
    this.#child.stdio?.[3]?.destroy();
    await this.#exited;
  }
}

/** A shell reports a program that a signal killed as 128 plus the number of the signal. */
function exitText(code: number): string {
  return code > 128 ? `killed by signal ${code - 128}` : `exited with code ${code}`;
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
