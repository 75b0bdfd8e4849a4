import { build } from './lib/build.mjs';
import { embeddedModel } from './lib/embedded-model.mjs';
import { install } from './lib/install.mjs';
import { checkNode, inRoot, main, run } from './lib/steps.mjs';
import { prepareTestCache } from './lib/test-cache.mjs';
import { prepareVllm, wantsVllm } from './lib/vllm.mjs';

const shortOnes = ['--project=unit', '--project=integration', '--project=guard'];

main(async () => {
  const given = process.argv.slice(2);
  // The long ones, `npm run soak`, only where they are asked for.
  const options = given.some((option) => option.startsWith('--project')) ? given : [...shortOnes, ...given];
  checkNode();
  await install();
  const vitest = [inRoot('node_modules/vitest/vitest.mjs'), 'run', ...options];
  // The unit tests need Node alone: they read the sources and start no servers.
  if (isUnitOnly(options)) return run(process.execPath, vitest, { cwd: inRoot('.') });
  await build();
  await embeddedModel();
  const vllm = wantsVllm(options) ? await prepareVllm() : {};
  const environment = { ...(await prepareTestCache()), ...vllm };
  // Whatever happens to the tests, nothing that they have started outlives them.
  const command = [inRoot('test/support/reaper.py'), process.execPath, ...vitest];
  return run(environment['CONCH_TEST_PYTHON'] ?? 'python3', command, { cwd: inRoot('.'), environment });
});

/** @param {string[]} options */
function isUnitOnly(options) {
  const projects = options.flatMap((option, at) => {
    if (option === '--project') return [options[at + 1]];
    return option.startsWith('--project=') ? [option.slice('--project='.length)] : [];
  });
  return projects.every((project) => project === 'unit');
}
