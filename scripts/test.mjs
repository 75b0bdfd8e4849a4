import { build } from './lib/build.mjs';
import { embeddedModel } from './lib/embedded-model.mjs';
import { install } from './lib/install.mjs';
import { checkNode, inRoot, main, run } from './lib/steps.mjs';
import { prepareTestCache } from './lib/test-cache.mjs';

main(async () => {
  const options = process.argv.slice(2);
  checkNode();
  await install();
  // The unit tests read the sources; only the others run the built command.
  if (!isUnitOnly(options)) {
    await build();
    await embeddedModel();
  }
  const environment = await prepareTestCache();
  return run(process.execPath, [inRoot('node_modules/vitest/vitest.mjs'), 'run', ...options], {
    cwd: inRoot('.'),
    environment,
  });
});

/** @param {string[]} options */
function isUnitOnly(options) {
  return options.some(
    (option, at) => option === '--project=unit' || (option === '--project' && options[at + 1] === 'unit'),
  );
}
