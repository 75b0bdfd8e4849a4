import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { startConch } from '../support/conch.ts';
import { inRoot, tokenizerFolder } from '../support/environment.ts';
import { directive } from '../support/exchange.ts';
import { post } from '../support/gateway.ts';

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

const { version } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8')) as { version: string };
let folder: string;
let packed: Packed;

/** What a stranger does: an archive, an empty folder, npm install. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'conch-pack-'));
  const packing = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const [first] = JSON.parse(npm(packing, inRoot('.'))) as Packed[];
  if (first === undefined) throw new Error('npm pack has packed nothing');
  packed = first;
  mkdirSync(join(folder, 'app'));
  writeFileSync(join(folder, 'app', 'package.json'), '{"private": true}');
  const options = ['install', '--prefer-offline', '--no-audit', '--no-fund', join(folder, first.filename)];
  npm(options, join(folder, 'app'));
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function npm(options: readonly string[], cwd: string): string {
  return execFileSync('npm', options, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

const installed = (path: string) => join(folder, 'app', 'node_modules', path);

describe('the archive of a release', () => {
  it('holds the built files and what tells of them, and nothing else', () => {
    const paths = packed.files.map(({ path }) => path);
    expect(paths.filter((path) => !/^(dist|python)\//.test(path)).toSorted()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'package.json',
    ]);
    expect(paths).toEqual(expect.arrayContaining(['python/model.py', 'python/conch_vllm/triton_model.py']));
    expect(paths.filter((path) => path.startsWith('python/') && !path.endsWith('.py'))).toEqual([]);
    const built = readdirSync(inRoot('dist'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== '.sources')
      .map((entry) => join(entry.parentPath, entry.name).slice(inRoot('.').length))
      // For the Node that has built it.
      .filter((path) => !path.startsWith('dist/compiled/'));
    expect(paths.filter((path) => path.startsWith('dist/')).toSorted()).toEqual(built.toSorted());
    expect(built).toEqual(expect.arrayContaining(['dist/main.js', 'dist/LICENSES.txt', 'dist/sbom.cdx.json']));
    expect(built.filter((path) => /\.(ts|map|tgz|log)$|\.test\./.test(path))).toEqual([]);
  });

  it('names no registry and no folder of the machine that packed it', () => {
    const named = packed.files.filter(({ path }) => {
      const text = readFileSync(installed(`triton-conch/${path}`), 'utf8');
      return /\bregistry\.(npmjs\.org|yarnpkg\.com)|_authToken/.test(text) || text.includes(inRoot('.'));
    });
    expect(named).toEqual([]);
  });

  it('brings two packages and what they need, all for the machine at hand', () => {
    const { dependencies } = JSON.parse(readFileSync(installed('triton-conch/package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    expect(Object.keys(dependencies)).toEqual(['libsql', 'tokenizers']);
    const names = readdirSync(installed('.')).filter((name) => !name.startsWith('.'));
    expect(names).toEqual(expect.arrayContaining(['libsql', 'tokenizers', 'triton-conch']));
    expect(names).not.toContain('fastify');
  });

  it('says all that it is made of', () => {
    const bill = JSON.parse(readFileSync(installed('triton-conch/dist/sbom.cdx.json'), 'utf8')) as {
      components: { name: string; hashes?: unknown; licenses?: unknown; properties: { value: string }[] }[];
    };
    const inLocation = (location: string) =>
      bill.components.filter(({ properties }) => properties[0]?.value === location).map(({ name }) => name);
    const licences = readFileSync(installed('triton-conch/dist/LICENSES.txt'), 'utf8');
    expect(inLocation('bundled')).toEqual(expect.arrayContaining(['fastify', 'pino', 'zod']));
    for (const name of inLocation('bundled')) expect(licences).toContain(`${name} `);
    expect(inLocation('installed')).toEqual(expect.arrayContaining(['libsql', 'tokenizers']));
    expect(bill.components.filter(({ licenses }) => licenses === undefined)).toEqual([]);
  });
});

describe('conch, installed into an empty folder', () => {
  it('tells its version', () => {
    const options = ['--no-install', 'conch', '--version'];
    const { status, stdout } = spawnSync('npx', options, { cwd: join(folder, 'app'), encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 0, stdout: `conch ${version}\n` });
  });

  it('serves the models of a Triton, with its own tokenizers and store', async () => {
    const conch = await startConch({
      program: installed('triton-conch/dist/main.js'),
      flags: ['--triton', `127.0.0.1:${inject('triton').grpcPort}`, '--tokenizer', tokenizerFolder('qwen3')],
      environment: { CONCH_CACHE: join(folder, 'cache') },
    });
    const ask = (path: string, body: object) => post(`${conch.url}${path}`, { model: 'vllm-toy', ...body });
    const content = directive({ answer: 'one two' });
    const chat = await ask('/v1/chat/completions', { messages: [{ role: 'user', content }] });
    expect(chat.body).toMatchObject({ choices: [{ message: { content: 'one two' }, finish_reason: 'stop' }] });
    const first = await ask('/v1/responses', { input: content });
    const second = await ask('/v1/responses', { input: content, previous_response_id: first.body['id'] });
    expect(second.body).toMatchObject({ status: 'completed', previous_response_id: first.body['id'] });
    expect(await conch.stop()).toBe(0);
  });
});
