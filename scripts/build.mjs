import { build } from './lib/build.mjs';
import { install } from './lib/install.mjs';
import { checkNode, main } from './lib/steps.mjs';

main(async () => {
  checkNode();
  await install();
  await build();
  return 0;
});
