// Writes the pages of docs/ that are made from the sources.
import { writeFileSync } from 'node:fs';
import { generatedPages } from './lib/generated-pages.mjs';
import { inRoot, main } from './lib/steps.mjs';

main(async () => {
  for (const { file, text } of await generatedPages()) writeFileSync(inRoot(file), text);
  return 0;
});
