import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { rolldown } from 'rolldown';
import { inRoot } from './steps.mjs';

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
  'store/sqlite-worker',
  'store/open-store',
  'config/settings-page',
  'servers/embedded/install-engine',
  'servers/embedded/default-model',
  'cli/progress',
  'plot/chart',
  'bench/load/worker',
];

/**
 * Puts compiled modules together into few files: Node takes longer to find and link a thousand small modules than to run
 * them. What most starts do not need stays apart behind `import()`, and what package.json names as a dependency stays a package.
 * @param {string} from
 * @param {string} to
 */
export async function bundle(from, to) {
  const { dependencies } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'));
  // The last one is an optional part of pg that nobody has.
  const packages = [...Object.keys(dependencies), 'pg-native'];
  const present = ENTRIES.filter((entry) => existsSync(join(from, `${entry}.js`)));
  const build = await rolldown({
    input: {
      'parts/program': join(from, 'main.js'),
      ...Object.fromEntries(present.map((entry) => [entry, join(from, `${entry}.js`)])),
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
    chunkFileNames: 'parts/[name].js',
    comments: { legal: true, annotation: false, jsdoc: false },
  });
  writeFileSync(join(to, 'main.js'), MAIN);
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  writeFileSync(join(to, 'LICENSES.txt'), licences(modules));
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

/**
 * The licences of the packages that the files contain.
 * @param {string[]} modules
 */
function licences(modules) {
  const marker = `${sep}node_modules${sep}`;
  const folders = modules.flatMap((module) => {
    const at = module.lastIndexOf(marker);
    if (at < 0) return [];
    const [scope = '', name = ''] = module.slice(at + marker.length).split(sep);
    if (scope.startsWith('.')) return [];
    return [join(module.slice(0, at + marker.length), scope.startsWith('@') ? join(scope, name) : scope)];
  });
  const texts = [...new Set(folders)].toSorted().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
    const text = files.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n');
    return `${name} ${version} (${license})\n\n${text}`;
  });
  return `${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}
