import { expect, it, onTestFinished } from 'vitest';
import { gatewayFlags } from './gateway.ts';
import { processes, untilClosed } from './processes.ts';
import { borrowConch, hostConch } from './shared-conch.ts';

const mark = `vllm-toy=${4000 + (process.pid % 1000)}`;
const flags = (): string[] => [...gatewayFlags(), '--context-length', mark];
const isOurs = (words: readonly string[]): boolean => words.includes(mark);

it('lends one program for the same flags, replaces one that has died, and ends all', async () => {
  const reports: string[] = [];
  const host = await hostConch((text) => reports.push(text));
  onTestFinished(host.stop);
  const [one, other] = await Promise.all([borrowConch(host.url, flags()), borrowConch(host.url, flags())]);
  expect(one).toEqual(other);
  const [pid = 0, ...others] = processes(isOurs);
  expect(others).toEqual([]);
  process.kill(pid, 'SIGKILL');
  await untilClosed(isOurs);
  const next = await borrowConch(host.url, flags());
  expect((await fetch(`${next.url}/health/ready`)).status).toBe(200);
  expect(reports).toEqual([
    expect.stringMatching(
      new RegExp(`^A shared conch ended by SIGKILL; its flags are .*"${mark}"\\]\\. Its last lines:\\n`),
    ),
  ]);
  await host.stop();
  expect(processes(isOurs)).toEqual([]);
});

it('says why a program cannot start', async () => {
  const host = await hostConch(() => undefined);
  onTestFinished(host.stop);
  await expect(borrowConch(host.url, ['--no-such-flag'])).rejects.toThrow('--no-such-flag');
});
