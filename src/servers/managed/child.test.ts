import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isWindows } from '../../../test/support/system-program.ts';
import { GuardedChild } from './child.ts';

interface Run {
  readonly child: GuardedChild;
  readonly lines: string[];
  readonly ended: Promise<string>;
  firstLine: Promise<string>;
}

// The guard's shell needs sleep.
const environment = { ...process.env, PATH: `${process.env['PATH']}:/usr/bin:/bin` };

function run(script: string, graceSeconds = 60): Run {
  const lines: string[] = [];
  let tell: (line: string) => void = () => undefined;
  const firstLine = new Promise<string>((resolve) => {
    tell = resolve;
  });
  let end: (reason: string) => void = () => undefined;
  const ended = new Promise<string>((resolve) => {
    end = resolve;
  });
  const child = new GuardedChild({
    command: [process.execPath, '-e', script],
    environment,
    graceSeconds,
    onLine: (line) => {
      lines.push(line);
      tell(line);
    },
    onExit: (reason) => end(reason),
  });
  return { child, lines, ended, firstLine };
}

/** A killed process is there until it is waited for; Linux tells. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' && !existsSync('/proc/self');
  }
}

/** Resolves when there is no such process. */
async function untilClosed(pid: number): Promise<void> {
  for (let tries = 0; tries < 3000; tries++) {
    if (!isRunning(pid)) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`Process ${pid} is still there`);
}

describe.skipIf(isWindows)('GuardedChild', () => {
  it('passes on every line of both outputs and the exit code', async () => {
    const { lines, ended } = run(`console.log('one'); console.error('two'); process.exitCode = 3`);
    expect(await ended).toBe('exited with code 3');
    expect(lines.toSorted()).toEqual(['one', 'two']);
  });

  it('asks the program to end and waits for it', async () => {
    const { child, lines, ended, firstLine } = run(
      `process.on('SIGTERM', () => { console.log('asked'); process.exit(0); }); setInterval(() => {}, 1e6); console.log('up')`,
    );
    expect(await firstLine).toBe('up');
    await child.stop();
    expect(await ended).toBe('exited with code 0');
    expect(lines).toEqual(['up', 'asked']);
  });

  it('ends by force a program that does not listen', async () => {
    const { child, ended, firstLine } = run(
      `process.on('SIGTERM', () => {}); setInterval(() => {}, 1e6); console.log('up')`,
      0,
    );
    await firstLine;
    await child.stop();
    expect(await ended).toBe('killed by signal 9');
  });

  it('takes along what the program leaves behind when it is killed', async () => {
    const { ended, firstLine } = run(
      `const { spawn } = require('node:child_process');
       const { pid } = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' });
       console.log(pid + ' ' + process.pid); setInterval(() => {}, 1e6)`,
    );
    const [orphan = 0, program = 0] = (await firstLine).split(' ').map(Number);
    process.kill(program, 'SIGKILL');
    expect(await ended).toBe('killed by signal 9');
    await untilClosed(orphan);
  });

  it('says when the program cannot be started', async () => {
    let end: (reason: string) => void = () => undefined;
    const ended = new Promise<string>((resolve) => {
      end = resolve;
    });
    const child = new GuardedChild({
      command: ['/nowhere/program'],
      environment: process.env,
      graceSeconds: 1,
      onLine: () => undefined,
      onExit: (reason) => end(reason),
    });
    expect(await ended).toBe('exited with code 127');
    await child.stop();
  });
});
