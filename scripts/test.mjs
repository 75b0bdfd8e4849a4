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
  // The unit tests read the sources; only the others run the built command.
  if (!isUnitOnly(options)) {
    await build();
    await embeddedModel();
  }
  const vllm = wantsVllm(options) ? await prepareVllm() : {};
  const environment = { ...(await prepareTestCache()), ...vllm };
  return run(process.execPath, [inRoot('node_modules/vitest/vitest.mjs'), 'run', ...options], {
    cwd: inRoot('.'),
    environment,
  });
});

/** @param {string[]} options */
function isUnitOnly(options) {
  const projects = options.flatMap((option, at) => {
    if (option === '--project') return [options[at + 1]];
    return option.startsWith('--project=') ? [option.slice('--project='.length)] : [];
  });
  return projects.every((project) => project === 'unit');
}
