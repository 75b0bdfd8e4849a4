import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, gzipSync } from 'node:zlib';
import { inRoot } from './steps.mjs';

/**
 * Builds web/ into a folder, each file beside itself in gzip, and gives the modules that it is made of.
 * @param {string} to
 * @returns {Promise<string[]>}
 */
export async function buildPage(to) {
  // Not before: it may have been installed a moment ago.
  const { build } = await import('vite');
  const environment = process.env['NODE_ENV'];
  try {
    const built = await build({ root: inRoot('web'), logLevel: 'warn', build: { outDir: to, emptyOutDir: true } });
    zipAll(to);
    const outputs = [built].flat().flatMap((each) => ('output' in each ? each.output : []));
    return outputs.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  } finally {
    // Vite says what it is for to the whole process, and so to all that this one starts.
    if (environment === undefined) delete process.env['NODE_ENV'];
    else process.env['NODE_ENV'] = environment;
  }
}

/** @param {string} folder */
function zipAll(folder) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: constants.Z_BEST_COMPRESSION }));
  }
}
