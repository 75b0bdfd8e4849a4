/** Modules of src/ for benchmarks that call them directly. Threads that they start run the build. */
import { rmSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { inRoot } from '../scripts/lib/steps.mjs';

/**
 * Loads modules together, so that they share what they import.
 * @param {string[]} files in src/
 * @returns {Promise<any[]>} the exports of each
 */
export async function loadSources(...files) {
  const folder = inRoot(`node_modules/.conch-bench-${process.pid}`);
  const input = Object.fromEntries(files.map((file, at) => [`module${at}`, inRoot(`src/${file}`)]));
  const bundle = await rolldown({ input, platform: 'node', external: /^[^./]/ });
  await bundle.write({ dir: folder, format: 'esm' });
  await bundle.close();
  try {
    return await Promise.all(files.map((_, at) => import(pathToFileURL(path.join(folder, `module${at}.js`)).href)));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
