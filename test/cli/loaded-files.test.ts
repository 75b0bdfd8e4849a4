import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, inject, it, onTestFinished } from 'vitest';
import { startConch } from '../support/conch.ts';

/** Writes down the name of every file that is loaded as a module, or as a part of the program. */
const tracer = (list: string) => `
import { appendFileSync } from 'node:fs';
import { register, syncBuiltinESMExports } from 'node:module';
import vm from 'node:vm';
vm.Script = class extends vm.Script {
  constructor(code, options) {
    appendFileSync(${JSON.stringify(list)}, options.filename + '\\n');
    super(code, options);
  }
};
syncBuiltinESMExports();
register('data:text/javascript,' + encodeURIComponent(\`
  import { appendFileSync } from 'node:fs';
  export async function load(url, context, next) {
    appendFileSync(${JSON.stringify(list)}, url + '\\\\n');
    return next(url, context);
  }\`));
`;

it('a start against a Triton elsewhere loads few files, and no package', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'conch-loaded-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const list = join(folder, 'list');
  writeFileSync(join(folder, 'tracer.mjs'), tracer(list));
  const conch = await startConch({
    flags: ['--triton', `127.0.0.1:${inject('triton').grpcPort}`],
    environment: { NODE_OPTIONS: `--import=${pathToFileURL(join(folder, 'tracer.mjs')).href}` },
  });
  expect(await conch.stop()).toBe(0);
  const files = readFileSync(list, 'utf8')
    .split('\n')
    .filter((url) => url.startsWith('file:') && !url.endsWith('tracer.mjs'));
  expect(files.filter((url) => url.includes('/node_modules/'))).toEqual([]);
  // Without the hash in the name of a part.
  const names = files.map((url) => url.slice(url.lastIndexOf('/') + 1).replace(/-[\w-]{8}\.js$/, '.js'));
  expect(names).toEqual(expect.arrayContaining(['main.js', 'loader.js', 'service.js']));
  expect(files.length).toBeLessThan(60);
  const lazy = new Set([
    'commands.js',
    'history-template.js',
    'key-readers.js',
    'kserve.js',
    'open-tracing.js',
    'own-servers.js',
    'postgres-store.js',
    'pretty.js',
    'primary.js',
    'redis-rates.js',
  ]);
  expect(names.filter((name) => lazy.has(name))).toEqual([]);
});
