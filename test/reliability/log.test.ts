import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { inRoot } from '../support/environment.ts';
import { directive } from '../support/exchange.ts';
import { post } from '../support/gateway.ts';
import { freePorts } from '../support/ports.ts';

/** Starts the built program with this as its standard output, and gives what it says on standard error. */
async function startWith(stdout: number | 'pipe', format: 'json' | 'pretty') {
  const [port = 0] = await freePorts(1);
  const triton = `127.0.0.1:${inject('triton').grpcPort}`;
  const flags = ['--triton', triton, '--host', '127.0.0.1', '--port', String(port), '--log-format', format];
  const child = spawn(process.execPath, [inRoot('dist/main.js'), ...flags], { stdio: ['ignore', stdout, 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let errors = '';
  const reported = new Promise<void>((resolve) => {
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
      if (errors.includes('\n')) resolve();
    });
  });
  const url = `http://127.0.0.1:${port}`;
  const stop = async (): Promise<{ code: unknown; errors: string }> => {
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    const [code] = await exit;
    return { code, errors };
  };
  return { child, url, reported, stop };
}

async function untilReady(url: string): Promise<void> {
  while (!(await fetch(`${url}/health/ready`).catch(() => undefined))?.ok)
    await new Promise((resolve) => setTimeout(resolve, 20));
}

async function responds(url: string): Promise<void> {
  const body = { model: 'vllm-toy', prompt: directive({ answer: 'one' }) };
  const { status, body: response } = await post(`${url}/v1/completions`, body);
  expect({ status, response }).toMatchObject({ status: 200, response: { choices: [{ text: 'one' }] } });
}

describe.each(['json', 'pretty'] as const)('a log (%s)', (format) => {
  it('on a full disk is told of once, and requests are answered', async () => {
    const full = openSync('/dev/full', 'w');
    const conch = await startWith(full, format);
    closeSync(full);
    await untilReady(conch.url);
    await conch.reported;
    for (let count = 0; count < 20; count++) await responds(conch.url);
    expect(await conch.stop()).toEqual({
      code: 0,
      errors: 'conch: writing the log failed (ENOSPC); requests are still served\n',
    });
  });

  it('that nobody reads any more is told of once, and requests are answered', async () => {
    const conch = await startWith('pipe', format);
    await untilReady(conch.url);
    conch.child.stdout?.destroy();
    await responds(conch.url);
    await conch.reported;
    await responds(conch.url);
    expect(await conch.stop()).toEqual({
      code: 0,
      errors: 'conch: writing the log failed (EPIPE); requests are still served\n',
    });
  });
});
