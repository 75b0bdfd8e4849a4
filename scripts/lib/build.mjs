import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from './bundle.mjs';
import { compileAhead } from './compile-ahead.mjs';
import { linkCommand } from './install.mjs';
import { buildPage } from './page.mjs';
import { inRoot, run, StepError, say } from './steps.mjs';

const STAMP = 'dist/.sources';

/** Compiles src/ and puts it together in dist/, the page of web/ with it, unless dist/ was made from these very files. */
export async function build() {
  const stamp = stampOfSources();
  if (existsSync(inRoot(STAMP)) && readFileSync(inRoot(STAMP), 'utf8') === stamp) return linkCommand();
  say('Building (tsc, rolldown, vite) …');
  const folder = inRoot(`node_modules/.conch-build-${process.pid}`);
  const bundled = inRoot(`node_modules/.conch-bundle-${process.pid}`);
  try {
    const options = [
      inRoot('node_modules/typescript/bin/tsc'),
      '-p',
      inRoot('tsconfig.json'),
      '--outDir',
      join(folder, 'src'),
    ];
    const code = await run(process.execPath, options);
    if (code !== 0) throw new StepError('The build failed: see the messages of tsc above.');
    const pageModules = await buildPage(join(bundled, 'page'));
    await bundle(join(folder, 'src'), bundled, pageModules);
    writeFileSync(join(bundled, '.sources'), stamp);
    rmSync(inRoot('dist'), { recursive: true, force: true });
    renameSync(bundled, inRoot('dist'));
  } finally {
    for (const left of [folder, bundled]) rmSync(left, { recursive: true, force: true });
  }
  linkCommand();
  await compileAhead();
}

/** Names, sizes and times of all that a build depends on: a deleted file counts as a change too. */
function stampOfSources() {
  const sources = ['src', 'web']
    .flatMap((folder) => readdirSync(inRoot(folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name));
  const programs = [
    'bundle',
    'one-byte-text',
    'compile-ahead',
    'page',
    'bill-of-materials',
    'bundled-packages',
    'licences',
  ].map((name) => `scripts/lib/${name}.mjs`);
  const lists = [...programs, 'tsconfig.json', 'package.json', 'package-lock.json'].map(inRoot);
  const hash = createHash('sha256');
  for (const file of [...sources, ...lists].toSorted()) {
    const { size, mtimeMs } = statSync(file);
    hash.update(`${file}\0${size}\0${mtimeMs}\n`);
  }
  return hash.digest('hex');
}
