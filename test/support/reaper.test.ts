import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { inRoot, pythonProgram } from './environment.ts';
import { processes, untilClosed } from './processes.ts';
import { type Outcome, runProgram } from './program.ts';

const reaper = inRoot('test/support/reaper.py');
let sleeps = 0;

/** A time to sleep that finds the sleeper among all processes, also of other runs of this test. */
function newSleep(): string {
  return `${600 + ++sleeps}.${process.pid}`;
}

const isSleeper = (time: string) => (words: readonly string[]) => words[0] === 'sleep' && words[1] === time;

/** Starts a sleeper in a session of its own, waits until it sleeps, and goes on as the script says. */
const leaveBehind = (time: string, script: string): string =>
  `setsid sleep ${time} >&2 & until grep -aqs ^sleep /proc/$!/cmdline; do :; done; ${script}`;

const reap = (script: string): Promise<Outcome> => runProgram(pythonProgram(), [reaper, 'bash', '-c', script]);

describe('a run of the tests', () => {
  it('has the exit code of its program', async () => {
    expect(await reap('echo fine; exit 3')).toEqual({ code: 3, stdout: 'fine\n', stderr: '' });
  });

  it.each([
    ['ends', 'exit 0', 0],
    ['is killed', 'kill -9 $$', 137],
  ])('leaves no process behind when its program %s, and names them', async (_, script, code) => {
    const time = newSleep();
    const outcome = await reap(leaveBehind(time, script));
    expect(processes(isSleeper(time))).toEqual([]);
    const stderr = expect.stringMatching(
      new RegExp(`^Killed processes that outlived the tests:\\n {2}\\d+ sleep ${time}\\n$`),
    );
    expect(outcome).toEqual({ code, stdout: '', stderr });
  });

  it('ends with all its processes on SIGTERM', async () => {
    const time = newSleep();
    const child = spawn(pythonProgram(), [reaper, 'bash', '-c', leaveBehind(time, 'echo up; wait')], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await once(createInterface(child.stdout), 'line');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([143, null]);
    expect(processes(isSleeper(time))).toEqual([]);
  });

  it('ends with all its processes when the process that started it is killed', async () => {
    const time = newSleep();
    const inner = `${pythonProgram()} ${reaper} bash -c '${leaveBehind(time, 'echo up; wait')}'; true`;
    const child = spawn('bash', ['-c', inner], { stdio: ['ignore', 'pipe', 'ignore'] });
    await once(createInterface(child.stdout), 'line');
    child.kill('SIGKILL');
    await untilClosed(isSleeper(time), 60_000);
    expect(processes(isSleeper(time))).toEqual([]);
  });
});
