import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { runConch } from '../support/command.ts';
import { startGateway } from '../support/gateway.ts';
import { bearer, chatAs, errorOf, type Keyed, openaiError, startKeyed } from './keyed.ts';

let conch: Keyed | undefined;
afterEach(async () => {
  await conch?.end();
  conch = undefined;
});

const said = (running: Keyed, message: string) => running.logged((line) => String(line['message']).startsWith(message));

describe('--api-key-file', () => {
  it('is read again when it changes, and a broken one changes nothing', async () => {
    conch = await startKeyed({ a: {}, b: { requests_per_minute: 2 } });
    const { file, write } = conch;
    expect((await chatAs(conch, 'b')).status).toBe(200);
    write({ b: { requests_per_minute: 2 }, c: { models: ['vllm-toy'] } });
    await said(conch, `${file} was reloaded: 2 keys in effect`);
    expect([(await chatAs(conch, 'a')).status, (await chatAs(conch, 'c')).status]).toEqual([401, 200]);
    // What a key has used is remembered.
    expect([(await chatAs(conch, 'b')).status, (await chatAs(conch, 'b')).status]).toEqual([200, 429]);

    write('keys:\n  - {name: d, hash: secret-of-d}\n');
    const line = await said(conch, 'the keys are unchanged');
    expect(line).toMatchObject({
      level: 'error',
      message: `the keys are unchanged: ${file}:2:21: keys[0].hash must be sha256: and 64 hexadecimal digits, as conch keys create writes it.`,
    });
    expect([(await chatAs(conch, 'c')).status, (await chatAs(conch, 'd')).status]).toEqual([200, 401]);

    rmSync(file);
    await said(conch, `the keys are unchanged: ${file} cannot be read: ENOENT`);
    expect((await chatAs(conch, 'c')).status).toBe(200);

    write('');
    await said(conch, `${file} was reloaded: 0 keys in effect`);
    expect(errorOf(await chatAs(conch, 'c'))).toEqual([
      401,
      openaiError(
        'authentication_error',
        'invalid_api_key',
        'Incorrect API key provided. Check the key and try again.',
      ),
    ]);
    expect(JSON.stringify(conch.log())).not.toContain('secret-of-');
  });

  it('must be right at the start', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'conch-keys-'));
    const file = join(folder, 'keys.yaml');
    writeFileSync(file, 'keys: [{name: a, hash: secret-of-a}]');
    const problem = `conch: ${file}:1:24: keys[0].hash must be sha256: and 64 hexadecimal digits, as conch keys create writes it.\n`;
    for (const words of [['--check'], ['--triton', '127.0.0.1:1', '--port', '0']])
      expect(await runConch([...words, '--api-key-file', file])).toMatchObject({ code: 2, stderr: problem });
    rmSync(folder, { recursive: true });
    expect(await runConch(['--check', '--api-key-file', file])).toEqual({
      code: 2,
      stdout: '',
      stderr: `conch: --api-key-file: file not found: ${file}. Check the path.\n`,
    });
  });
});

it('api_key in the settings file takes effect at once, and never opens what was locked', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'conch-keys-'));
  const file = join(folder, 'conch.yaml');
  writeFileSync(file, 'api_key: secret-of-a\n');
  const running = await startGateway('--config', file);
  try {
    expect([(await chatAs(running, 'a')).status, (await chatAs(running, 'b')).status]).toEqual([200, 401]);
    writeFileSync(file, 'api_key: [secret-of-b, secret-of-c]\n');
    await running.logged(({ message }) => message === `${file} was reloaded; changed: api_key`);
    const statuses = async () => [
      (await chatAs(running, 'a')).status,
      (await chatAs(running, 'b')).status,
      (await chatAs(running, 'c')).status,
      (await fetch(`${running.url}/v1/models`)).status,
    ];
    expect(await statuses()).toEqual([401, 200, 200, 401]);
    writeFileSync(file, 'log_level: debug\n');
    await running.logged(({ message }) => message === `${file} was reloaded; changed: api_key, log_level`);
    expect(await statuses()).toEqual([401, 401, 401, 401]);
    expect((await fetch(`${running.url}/v1/models`, { headers: bearer('b') })).status).toBe(401);
  } finally {
    await running.stop();
    rmSync(folder, { recursive: true });
  }
});
