// Copies the pictures that the tests of the page have taken into docs/: npm test -- test/page, then this.
import { cpSync, existsSync } from 'node:fs';
import { inRoot, main, StepError } from './lib/steps.mjs';

main(async () => {
  const from = inRoot('test/output/page');
  if (!existsSync(from)) throw new StepError('There are no pictures yet: run npm test -- test/page first.');
  cpSync(from, inRoot('docs/screenshots'), { recursive: true });
  return 0;
});
