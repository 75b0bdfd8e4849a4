import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from './lib/build.mjs';
import { embeddedModel } from './lib/embedded-model.mjs';
import { install } from './lib/install.mjs';
import { checkNode, inRoot, main, run, say } from './lib/steps.mjs';
import { prepareTestCache } from './lib/test-cache.mjs';
import { prepareVllm, wantsVllm } from './lib/vllm.mjs';

const shortOnes = ['--project=unit', '--project=integration', '--project=guard'];

main(async () => {
  const value = process.argv.slice(2);
  // The long ones, `npm run soak`, only where they are asked for.
  const options = value.some((option) => option.startsWith('--project')) ? value : [...shortOnes, ...value];
  checkNode();
  await install();
  const vitest = [inRoot('node_modules/vitest/vitest.mjs'), 'run'];
  // The unit tests need Node alone: they read the sources and start no servers.
  if (isUnitOnly(options)) return run(process.execPath, [...vitest, ...options], { cwd: inRoot('.') });
  await build();
  await embeddedModel();
  const vllm = wantsVllm(options) ? await prepareVllm() : {};
  const again = join(tmpdir(), `conch-again-${process.pid}.json`);
  /** @type {Record<string, string>} */
  const environment = { ...(await prepareTestCache()), ...vllm, CONCH_TEST_AGAIN: again };
  // Whatever happens to the tests, nothing that they have started outlives them.
  const python = environment['CONCH_TEST_PYTHON'] ?? 'python3';
  const reaper = [inRoot('test/support/reaper.py'), process.execPath];
  /** @param {string[]} words */
  const test = (words) => run(python, [...reaper, ...vitest, ...words], { cwd: inRoot('.'), environment });
  const code = await test(options);
  const files = code === 0 ? [] : await filesToRunAgain(again);
  for (const file of [again, `${again}.crashes`]) await rm(file, { force: true });
  if (files.length === 0) return code;
  say(`\nA tritonserver crashed while these files ran, and nothing else failed. They run once more:`);
  for (const file of files) say(`  ${file}`);
  return test(files);
});

/**
 * What the run has written down to run again.
 * @param {string} path
 * @returns {Promise<string[]>}
 */
async function filesToRunAgain(path) {
  const text = await readFile(path, 'utf8').catch(() => '[]');
  return JSON.parse(text);
}

/** @param {string[]} options */
function isUnitOnly(options) {
  const projects = options.flatMap((option, at) => {
    if (option === '--project') return [options[at + 1]];
    return option.startsWith('--project=') ? [option.slice('--project='.length)] : [];
  });
  return projects.every((project) => project === 'unit');
}
