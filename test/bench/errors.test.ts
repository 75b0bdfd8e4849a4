import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runConch } from '../support/command.ts';
import { runBench, startTokenGateway, type TokenGateway } from './bench-command.ts';

const key = 'test-key-of-nobody';
const folder = mkdtempSync(join(tmpdir(), 'conch-bench-'));
const noKeys = { CONCH_API_KEY: undefined, OPENAI_API_KEY: undefined };
let gateway: TokenGateway;

beforeAll(async () => {
  gateway = await startTokenGateway(1, '--api-key', key);
});

afterAll(async () => {
  await gateway.stop();
  rmSync(folder, { recursive: true });
});

describe('conch bench', () => {
  it('says that a server is unreachable', async () => {
    const { code, stdout, stderr } = await runConch(['bench', '--url', 'http://127.0.0.1:1', '--model', 'm']);
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'conch: --url: http://127.0.0.1:1 is unreachable: ECONNREFUSED. Start the server, or set another --url.\n',
    });
  });

  it('says that a key is wrong, without showing it', async () => {
    const wrong = 'test-key-that-is-wrong';
    const { code, stderr } = await runBench(gateway.conch.url, ['--api-key', wrong], noKeys);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^conch: --api-key: http:\S+ rejected the API key: .+\n$/);
    expect(stderr).not.toContain(wrong);
  });

  it('measures nothing where every request of the warm-up fails', async () => {
    const flags = ['--api-key', key, '--model', 'nobody', '--warmup', '3', '--server-token-count'];
    const { code, stdout, stderr, report } = await runBench(gateway.conch.url, flags, noKeys);
    expect([code, stdout, report]).toEqual([1, '', undefined]);
    expect(stderr).toMatch(
      /^ {2}1 concurrent request: warm-up …\nconch: Nothing was measured\. All 3 warm-up requests failed\.\n {2}3 × HTTP 404: .*nobody.*\n$/,
    );
  });

  it('counts failures by what went wrong and ends with 1', async () => {
    const flags = ['--api-key', key, '--model', 'nobody', '--warmup', '0', '--requests', '5', '--server-token-count'];
    const { code, stdout, report } = await runBench(gateway.conch.url, flags, noKeys);
    expect(code).toBe(1);
    expect(report?.levels.map(({ failed_count: failed, request_count: count }) => [failed, count])).toEqual([[5, 0]]);
    expect(stdout).toMatch(/^Errors:\n {2}5 × HTTP 404: .*nobody/m);
    expect(stdout).toContain('5 of 5 requests failed');
  });

  it.each([['CONCH_API_KEY'], ['OPENAI_API_KEY']])('takes the key of %s and shows it nowhere', async (variable) => {
    const flags = ['--requests', '2', '--warmup', '0', '--output-tokens', '2'];
    const { code, stdout, stderr, report } = await runBench(gateway.conch.url, flags, { ...noKeys, [variable]: key });
    expect(code).toBe(0);
    expect(`${stdout}${stderr}${JSON.stringify(report)}`).not.toContain(key);
  });

  it('names every flag that is wrong', async () => {
    const { code, stderr } = await runConch(['bench', '--concurrency', '0', '--extra', 'novalue']);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        'conch: --concurrency must be whole numbers above 0, separated by commas, not "0".\n' +
        'conch: --extra must be name=value, not "novalue".\n',
    });
  });

  it('refuses files that it cannot use', async () => {
    const file = join(folder, 'no.json');
    writeFileSync(file, '{}');
    expect((await runConch(['bench', '--compare', file, file])).stderr).toBe(
      `conch: --compare: ${file} is not a report of conch bench --json. Set two files that --json wrote.\n`,
    );
    expect((await runConch(['bench', '--compare', join(folder, 'none.json'), file])).stderr).toMatch(
      /^conch: --compare: cannot read \S+none\.json: ENOENT/,
    );
    const flags = ['--api-key', key, '--prompt-file', file];
    expect((await runBench(gateway.conch.url, flags, noKeys)).stderr).toBe(
      `conch: --prompt-file: prompt 1 of ${file} has no field "text". Add it, or write plain text.\n`,
    );
    const tokenizer = ['--api-key', key, '--tokenizer', join(folder, 'nowhere')];
    expect((await runBench(gateway.conch.url, tokenizer, noKeys)).stderr).toBe(
      `conch: --tokenizer: The tokenizer folder ${join(folder, 'nowhere')} does not exist.\n`,
    );
  });
});
