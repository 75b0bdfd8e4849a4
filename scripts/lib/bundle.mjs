import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { billOfMaterials } from './bill-of-materials.mjs';
import { foreignImports } from './foreign-imports.mjs';
import { licences } from './licences.mjs';
import { oneByteText } from './one-byte-text.mjs';
import { inRoot, StepError } from './steps.mjs';

/** The file that is run. */
const MAIN = 'main';

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
 * These parts are CommonJS, since only of that Node 20 can reuse compiled code; a small module stands in front of each one
 * that is run or imported.
 * @param {string} from
 * @param {string} to
 * @param {string[]} pageModules what the page is made of, for the licences and the bill of materials
 */
export async function bundle(from, to, pageModules) {
  const { dependencies } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'));
  const packages = [...Object.keys(dependencies), ...OPTIONAL];
  const missing = ENTRIES.find((entry) => !existsSync(join(from, `${entry}.js`)));
  if (missing !== undefined) throw new StepError(`scripts/lib/bundle.mjs names src/${missing}.ts, which is not there.`);
  const parts = await partsOf(from, packages);
  const foreign = foreignImports(parts, packages);
  if (foreign.length > 0) throw new StepError(`What is built imports what nobody installs: ${foreign.join(', ')}.`);
  await writeLoader(from, to);
  mkdirSync(join(to, 'parts'));
  for (const part of parts) {
    writeFileSync(join(to, part.fileName), wrapped(part.code));
    if (part.isEntry) writeFront(to, part);
  }
  const modules = [...parts.flatMap(({ moduleIds }) => moduleIds), ...pageModules];
  writeFileSync(join(to, 'LICENSES.txt'), licences(modules));
  writeFileSync(join(to, 'sbom.cdx.json'), billOfMaterials(modules));
}

/**
 * @param {string} from
 * @param {string[]} packages
 */
async function partsOf(from, packages) {
  // Not before: it may have been installed a moment ago.
  const { rolldown } = await import('rolldown');
  const build = await rolldown({
    // The names of modules in the files are relative to it: src/… and ../PACKAGE/…, whatever the folder is called.
    cwd: dirname(from),
    input: Object.fromEntries([MAIN, ...ENTRIES].map((entry) => [entry, join(from, `${entry}.js`)])),
    platform: 'node',
    external: (id) => packages.some((name) => id === name || id.startsWith(`${name}/`)),
    plugins: [leftOut],
    onLog: (level, log, next) => (log.code === 'EVAL' ? undefined : next(level, log)),
  });
  // With a hash: after an upgrade in place, a Conch that still runs must not load a new file into old modules.
  const fileName = 'parts/[name]-[hash].js';
  const { output } = await build.generate({
    format: 'cjs',
    entryFileNames: ({ name }) => fileName.replace('[name]', name.replaceAll('/', '-')),
    chunkFileNames: fileName,
    comments: { legal: true, annotation: false, jsdoc: false },
  });
  return output.filter((file) => file.type === 'chunk');
}

/**
 * What loads the parts: an ES module of its own.
 * @param {string} from
 * @param {string} to
 */
async function writeLoader(from, to) {
  const { rolldown } = await import('rolldown');
  const build = await rolldown({ cwd: dirname(from), input: join(from, 'loader/loader.js'), platform: 'node' });
  await build.write({ file: join(to, 'loader.js'), format: 'esm' });
}

/**
 * A part as src/loader/part-loader.ts calls it. What was a module stays in strict mode, and on its lines.
 * @param {string} code
 */
function wrapped(code) {
  return `(function (exports, require, module, __filename, __dirname) {"use strict"; ${oneByteText(code)}\n})\n`;
}

/**
 * The module in front of a part that is run or imported.
 * @param {string} to
 * @param {{ name: string, fileName: string, exports: string[] }} part
 */
function writeFront(to, { name, fileName, exports }) {
  const file = join(to, `${name}.js`);
  const part = basename(fileName);
  mkdirSync(dirname(file), { recursive: true });
  if (name === MAIN) {
    writeFileSync(file, `#!/usr/bin/env node\n${frontOf('./loader.js', part)}await part.main(loader);\n`);
    return;
  }
  const named = exports.length === 0 ? '' : `export const { ${exports.join(', ')} } = part;\n`;
  writeFileSync(file, `${frontOf(relative(dirname(file), join(to, 'loader.js')), part)}${named}`);
}

/**
 * @param {string} loader
 * @param {string} part
 */
function frontOf(loader, part) {
  return `import * as loader from '${loader}';\n\nconst part = loader.loadPart('${part}');\n`;
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
