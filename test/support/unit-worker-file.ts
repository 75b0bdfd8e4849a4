import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inject } from 'vitest';

/** Stands in for src/worker-file.ts in unit tests, which need no build. */
export function workerFile(path: string): URL {
  return pathToFileURL(join(inject('workers'), `${path}.js`));
}
