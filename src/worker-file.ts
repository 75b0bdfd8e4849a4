import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * The program of a thread, by its path from src on. Node 20 runs no TypeScript in a thread: from the sources (in tests)
 * the built file is taken.
 */
export function workerFile(path: string): URL {
  const isBuilt = import.meta.url.endsWith('.js');
  const file = new URL(`./${isBuilt ? '' : '../dist/'}${path}.js`, import.meta.url);
  if (!existsSync(fileURLToPath(file))) throw new Error(`dist/${path}.js is missing: run npm run build first.`);
  return file;
}
