import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bearer, keyFileText } from '../security/keyed.ts';
import type { Conch } from '../support/conch.ts';
import { directive } from '../support/exchange.ts';
import { post, sharedGateway } from '../support/gateway.ts';
import type { SharedConch } from '../support/shared-conch.ts';
import { hold } from './holding.ts';
import { acceptsRequests, startTwoWorkers, workersOf } from './two-workers.ts';

let free: SharedConch;
let folder: string;
let conch: Conch;

beforeAll(async () => {
  free = await sharedGateway();
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'conch-as-one-'));
});
afterEach(async () => {
  await conch?.stop();
  rmSync(folder, { recursive: true });
});

async function startTwo(...flags: readonly string[]): Promise<void> {
  conch = await startTwoWorkers(...flags);
}

/** Kills one worker, and waits until another one has taken its place. */
async function replaceOne(): Promise<void> {
  const before = conch.log().length;
  for (const pid of workersOf(conch).slice(0, 1)) process.kill(pid, 'SIGKILL');
  const isNew = (line: object): boolean => conch.log().indexOf(line as never) >= before;
  await conch.logged((line) => isNew(line) && acceptsRequests(line));
}

const hello = { model: 'vllm-toy', prompt: directive({ answer: 'hello' }) };
const alone = { connection: 'close' };
const ask = (headers: Record<string, string>) =>
  post(`${conch.url}/v1/completions`, hello, { ...headers, ...alone }).then(({ status }) => status);

async function read(path: string): Promise<string> {
  const response = await fetch(conch.url + path, { headers: { ...bearer('free'), ...alone } });
  return response.text();
}

describe('two workers', { timeout: 120_000 }, () => {
  it('count as one, whoever is asked and whoever is gone', async () => {
    const keys = join(folder, 'keys.json');
    writeFileSync(keys, keyFileText({ few: { requests_per_minute: 4 }, free: {} }));
    await startTwo('--api-key-file', keys, '--drain-timeout', '300ms');
    // Signals to a worker are the primary's to give.
    for (const pid of [...workersOf(conch), ...workersOf(conch)]) process.kill(pid, 'SIGTERM');
    const statuses: number[] = [];
    for (let count = 0; count < 6; count++) statuses.push(await ask(bearer('few')));
    expect(statuses).toEqual([200, 200, 200, 200, 429, 429]);
    const expected = [
      expect.stringMatching(/^conch_requests_total\{route="\/v1\/completions",.*status="200",.*key="few"\} 4$/),
      expect.stringMatching(/^conch_inferences_total\{model="vllm-toy",.*outcome="ok"\} 4$/),
      expect.stringMatching(/^conch_server_available\{server=".*"\} 1$/),
      'conch_workers 2',
    ];
    for (let count = 0; count < 2; count++) {
      expect((await read('/metrics')).split('\n')).toEqual(expect.arrayContaining(expected));
      const servers = JSON.parse(await read('/v1/servers')) as { data: { requests: number }[] };
      expect(servers.data.map(({ requests }) => requests)).toEqual([4]);
    }
    await replaceOne();
    for (let count = 0; count < 2; count++)
      expect((await read('/metrics')).split('\n')).toEqual(expect.arrayContaining(expected));
    const held = hold({ url: conch.url, control: free.url }, bearer('free'));
    await held.untilHeld();
    expect(await conch.stop()).toBe(1);
    const completed = conch.log().filter((line) => line['path'] === '/v1/completions' && line['status'] === 200);
    expect(new Set(completed.map(({ worker }) => worker))).toEqual(new Set([1, 2]));
    const ended = conch.log().map(({ message }) => / ended by signal \w+/.exec(String(message))?.[0]);
    expect(ended.filter((text) => text !== undefined)).toEqual([' ended by signal SIGKILL']);
  });

  it('keep a key revoked, also in a worker that is started again beside a file with a mistake', async () => {
    const file = join(folder, 'conch.yaml');
    const notify = (text: string) =>
      Promise.all(
        [1, 2].map((worker) =>
          conch.logged((line) => line['worker'] === worker && String(line['message']).includes(text)),
        ),
      );
    writeFileSync(file, 'api_key: [the-old-key]\n');
    await startTwo('--config', file);
    const [old, current] = ['the-old-key', 'the-new-key'].map((key) => ({ authorization: `Bearer ${key}` }));
    writeFileSync(file, 'api_key: [the-new-key]\n');
    await notify('changed: api_key');
    writeFileSync(file, 'api_key: [\n');
    await notify('the settings are unchanged');
    await replaceOne();
    const statuses = [];
    for (let count = 0; count < 4; count++) statuses.push(await ask(old ?? {}), await ask(current ?? {}));
    expect(statuses).toEqual([401, 200, 401, 200, 401, 200, 401, 200]);
  });
});
