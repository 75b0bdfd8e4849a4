import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { billOfMaterials } from './bill-of-materials.mjs';
import { foreignImports } from './foreign-imports.mjs';
import { licences } from './licences.mjs';
import { inRoot, StepError } from './steps.mjs';

/** The file that is run. Node 22.8 and later keep what they have compiled, unless NODE_DISABLE_COMPILE_CACHE is set. */
const MAIN = `#!/usr/bin/env node
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

module.enableCompileCache?.(join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'conch', 'compiled'));
await import('./parts/program.js');
`;

/** The programs of the threads, and what scripts, tests and benchmarks use of it. */
const ENTRIES = [
  'prompt/worker',
  'generate/structured-worker',
  'responses/store/sqlite-worker',
  'responses/store/open-store',
  'config/settings-page',
  'servers/embedded/install/install-engine',
  'servers/embedded/install/default-model',
  'cli/cli-page',
  'serve/progress',
  'plot/chart',
  'bench/load/worker',
  'bench/harness',
];

/** Optional parts of pg and of @redis/client, which do without. */
const OPTIONAL = ['pg-native', '@node-rs/xxhash'];

/**
 * Puts compiled modules together into few files: Node takes longer to find and link a thousand small modules than to run
 * them. What most starts do not need stays apart behind `import()`, and what package.json names as a dependency stays a package.
 * @param {string} from
 * @param {string} to
 * @param {string[]} pageModules what the page is made of, for the licences and the bill of materials
 */
export async function bundle(from, to, pageModules) {
  // Not before: it may have been installed a moment ago.
  const { rolldown } = await import('rolldown');
  const { dependencies } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'));
  const packages = [...Object.keys(dependencies), ...OPTIONAL];
  const missing = ENTRIES.find((entry) => !existsSync(join(from, `${entry}.js`)));
  if (missing !== undefined) throw new StepError(`scripts/lib/bundle.mjs names src/${missing}.ts, which is not there.`);
  const build = await rolldown({
    // The names of modules in the files are relative to it: src/… and ../PACKAGE/…, whatever the folder is called.
    cwd: dirname(from),
    input: {
      'parts/program': join(from, 'main.js'),
      ...Object.fromEntries(ENTRIES.map((entry) => [entry, join(from, `${entry}.js`)])),
    },
    platform: 'node',
    external: (id) => packages.some((name) => id === name || id.startsWith(`${name}/`)),
    plugins: [leftOut],
    onLog: (level, log, next) => (log.code === 'EVAL' ? undefined : next(level, log)),
  });
  const { output } = await build.write({
    dir: to,
    format: 'esm',
    entryFileNames: '[name].js',
    // With a hash: after an upgrade in place, a Conch that still runs must not load a new file into old modules.
    chunkFileNames: 'parts/[name]-[hash].js',
    comments: { legal: true, annotation: false, jsdoc: false },
  });
  writeFileSync(join(to, 'main.js'), MAIN);
  const files = output.filter((file) => file.type === 'chunk');
  const foreign = foreignImports(files, packages);
  if (foreign.length > 0) throw new StepError(`What is built imports what nobody installs: ${foreign.join(', ')}.`);
  const modules = [...files.flatMap(({ moduleIds }) => moduleIds), ...pageModules];
  writeFileSync(join(to, 'LICENSES.txt'), licences(modules));
  writeFileSync(join(to, 'sbom.cdx.json'), billOfMaterials(modules));
}

/** Parts of Fastify that are never used: src/http/without-schemas.ts, and requests that tests make up. */
const LEFT_OUT = /^(@fastify\/ajv-compiler|@fastify\/fast-json-stringify-compiler|light-my-request)$/;
const leftOut = {
  name: 'left-out',
  /** @param {string} id */
  resolveId: (id) => (LEFT_OUT.test(id) ? { id: `\0${id}` } : undefined),
  /** @param {string} id */
  load: (id) =>
    LEFT_OUT.test(id.slice(1))
      ? `module.exports = () => { throw new Error(${JSON.stringify(`${id.slice(1)} is left out of the build.`)}); };`
      : undefined,
};
