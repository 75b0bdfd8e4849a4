import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runConch } from '../support/command.ts';
import { inRoot } from '../support/environment.ts';
import { Redis } from '../support/redis.ts';
import { isLeftOut } from '../support/system-program.ts';
import { tritonProgram } from '../support/triton.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'conch-faults-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A model folder with this configuration. */
function model(repository: string, name: string, config: string): void {
  mkdirSync(join(folder, repository, name, '1'), { recursive: true });
  writeFileSync(join(folder, repository, name, 'config.pbtxt'), config);
}

/** One line each, exit code 2, and nothing else: no stack trace, no half-started server. */
async function refuses(flags: readonly string[], ...lines: readonly string[]): Promise<void> {
  const outcome = await runConch([...flags, '--port', '0'], { PATH: '/usr/bin:/bin' });
  expect(outcome).toEqual({ code: 2, stdout: '', stderr: lines.map((line) => `conch: ${line}\n`).join('') });
}

/** The same with a configuration file that can be read once, as that of `--config <(decrypt …)`. */
function checkPiped(words: readonly string[], file: string) {
  const command = [process.execPath, inRoot('dist/main.js'), ...words, '--config', '/dev/stdin', '--check'];
  const piped = ['-c', 'printf %s "$FILE" | "$0" "$@"', ...command];
  const { status, stdout, stderr } = spawnSync('sh', piped, { env: { ...process.env, FILE: file }, encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('a start that cannot succeed', () => {
  it.each([[[]], [['models']]])('names the faults of a file that can be read only once: %j', (words) => {
    expect(checkPiped(words, 'trytons: [localhost:8001]\n')).toEqual({
      status: 2,
      stdout: '',
      stderr: 'conch: /dev/stdin:1:1: trytons is not a key. Did you mean triton?\n',
    });
    expect(checkPiped(words, 'triton: [localhost:8001]\n')).toMatchObject({ status: 0, stderr: '' });
  });

  it('names a GGUF file that is none', async () => {
    const file = join(folder, 'text.gguf');
    writeFileSync(file, 'a text');
    await refuses(['--model', file], `The model text cannot be served: ${file} is not a GGUF file.`);
  });

  it('names a GGUF file that is not there', async () => {
    const file = join(folder, 'missing.gguf');
    await refuses(['--model', `mine=${file}`], `--model: file not found: ${file}. Check the path.`);
  });

  it('names a repository without models', async () => {
    const empty = join(folder, 'empty');
    mkdirSync(empty);
    await refuses(
      ['--model-repository', empty],
      `The model repository ${empty} has no models. A model is a folder with a config.pbtxt and a version folder such as 1.`,
    );
  });

  it.skipIf(isLeftOut('redis-server')).each(['1', '2'])(
    'ends where Redis is connected already, with --workers %s',
    async (workers) => {
      const redis = await Redis.start();
      const [keys, nothing] = [join(folder, 'keys.json'), join(folder, 'nothing')];
      writeFileSync(keys, JSON.stringify({ keys: [{ name: 'a', hash: `sha256:${'0'.repeat(64)}` }] }));
      mkdirSync(nothing, { recursive: true });
      await refuses(
        ['--redis', redis.url, '--api-key-file', keys, '--model-repository', nothing, '--workers', workers],
        `The model repository ${nothing} has no models. A model is a folder with a config.pbtxt and a version folder such as 1.`,
      );
      await redis.remove();
    },
  );

  it('names a repository that is not there', async () => {
    const nowhere = join(folder, 'nowhere');
    await refuses(['--model-repository', nowhere], `--model-repository: folder not found: ${nowhere}. Check the path.`);
  });

  it('names both of two models of one name', async () => {
    model('one', 'twin', 'backend: "vllm"');
    model('two', 'twin', 'backend: "vllm"');
    const [one, two] = [join(folder, 'one'), join(folder, 'two')];
    await refuses(
      ['--model-repository', one, '--model-repository', two],
      `Two models have the name twin: ${join(one, 'twin')} and ${join(two, 'twin')}.`,
    );
  });

  it('names the place of a wrong type in a config.pbtxt', async () => {
    model('typed', 'm', 'name: "m"\nbackend: "llamacpp"\nmax_batch_size: "many"\n');
    const file = join(folder, 'typed', 'm', 'config.pbtxt');
    const { code, stderr } = await runConch(['--model-repository', join(folder, 'typed'), '--port', '0']);
    expect(code).toBe(2);
    expect(stderr).toContain(`conch: The model m cannot be served: ${file}:3:17: `);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it('says the ways out when there is no tritonserver', async () => {
    model('needy', 'm', 'backend: "vllm"');
    const outcome = await runConch(['--model-repository', join(folder, 'needy'), '--port', '0'], {
      PATH: '/usr/bin:/bin',
      CONCH_CACHE: folder,
    });
    expect(outcome).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'conch: No tritonserver was found. Set its path with --tritonserver FILE, run Conch inside a Triton container ' +
        '(/opt/tritonserver/bin/tritonserver), or put tritonserver on PATH. Models with backend: "llamacpp" do not need it.\n',
    });
  });

  it('names a port that is in use', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const outcome = await runConch(['--triton', '127.0.0.1:1', '--host', '127.0.0.1', '--port', String(port)]);
    server.close();
    expect(outcome.code).toBe(2);
    expect(outcome.stderr).toBe(`conch: Port ${port} is in use on 127.0.0.1. Choose another with --port.\n`);
  });

  it('suggests the flag that was meant', async () => {
    await refuses(['--tritn', 'a:1'], '--tritn is not a flag. Did you mean --triton?');
  });
});

describe('conch --dry-run', () => {
  it('prints the mpirun line of several ranks and starts nothing', async () => {
    model('ranks', 'tensorrt_llm', 'backend: "tensorrtllm"');
    const repository = join(folder, 'ranks');
    const flags = [
      '--model-repository',
      repository,
      '--tritonserver',
      tritonProgram(),
      '--world-size',
      '2',
      '--dry-run',
    ];
    const { code, stdout, stderr } = await runConch([...flags, '--', '--log-info=false']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^mpirun --allow-run-as-root -n 1 \S+tritonserver --model-repository=\S+ranks /);
    expect(stdout.match(/ : -n 1 /g)).toHaveLength(1);
    expect(stdout).toContain('--model-control-mode=explicit --load-model=tensorrt_llm');
    expect(stdout.match(/ --log-info=false/g)).toHaveLength(2);
  });
});

describe('conch', () => {
  it('tells its version, its help and that its settings are valid', async () => {
    expect((await runConch(['--version'])).stdout).toMatch(/^conch \d+\.\d+\.\d+\n$/);
    expect((await runConch(['help', 'models'])).stdout).toContain('conch models');
    expect(await runConch(['--triton', 'a:1', '--check'])).toEqual({
      code: 0,
      stdout: 'The settings are valid.\n',
      stderr: '',
    });
  });
});
