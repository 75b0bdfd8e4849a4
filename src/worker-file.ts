import { pathToFileURL } from 'node:url';
import { packageFile } from './package-file.ts';

/**
 * The program of a thread, by its path from src on. Node 20 runs no TypeScript in a thread: from the sources (in tests)
 * the built file is taken too.
 */
export function workerFile(path: string): URL {
  const file = packageFile(`dist/${path}.js`);
  if (file === undefined) throw new Error(`dist/${path}.js is missing: run npm run build first.`);
  return pathToFileURL(file);
}
