/** What an installation of the package takes on the disk. */
import { execFileSync } from 'node:child_process';
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Packs, installs into an empty folder from the registry at hand, and weighs: MB of all files, in all and by package. The embedded
 * engine is not among them: it is fetched when it is first used.
 */
export async function installedSizes() {
  const folder = mkdtempSync(join(tmpdir(), 'conch-installed-'));
  try {
    const packed = execFileSync('npm', ['pack', '--json', '--pack-destination', folder], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    const file = join(folder, JSON.parse(packed)[0].filename);
    writeFileSync(join(folder, 'package.json'), '{"private":true}');
    execFileSync('npm', ['install', '--omit=dev', '--no-audit', '--no-fund', file], { cwd: folder, stdio: 'ignore' });
    const packages = packageFolders(join(folder, 'node_modules')).map((path) => ({ path, size: megabytes(path) }));
    const named = packages.map(({ path, size }) => [nameOf(path), size]);
    return {
      total: packages.reduce((sum, { size }) => sum + size, 0),
      packages: /** @type {[string, number][]} */ (named.toSorted((a, b) => Number(b[1]) - Number(a[1])).slice(0, 12)),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
function packageFolders(folder) {
  return readdirSync(folder).flatMap((name) => {
    if (name.startsWith('.')) return [];
    const path = join(folder, name);
    return name.startsWith('@') ? packageFolders(path) : [path];
  });
}

/** @param {string} path */
function nameOf(path) {
  return JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')).name;
}

/**
 * @param {string} path
 * @returns {number}
 */
function megabytes(path) {
  const entry = lstatSync(path);
  if (!entry.isDirectory()) return entry.size / 1e6;
  return readdirSync(path).reduce((sum, name) => sum + megabytes(join(path, name)), 0);
}
