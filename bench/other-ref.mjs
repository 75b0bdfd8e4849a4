/** Conch as it is at another commit, built by that commit's own `npm run build`. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inRoot, run } from '../scripts/lib/steps.mjs';

const BUILT = path.join('dist', '.sources');

/**
 * @param {string} ref a branch, a tag or a commit
 * @param {(line: string) => void} say
 * @returns {Promise<{ commit: string, script: string }>} its short name, and the program
 */
export async function buildOfRef(ref, say) {
  const commit = commitOf(ref);
  const folder = path.join(tmpdir(), `conch-bench-${commit}`);
  if (!existsSync(path.join(folder, BUILT))) {
    say(`Building ${ref} (${commit.slice(0, 9)}) in ${folder} …`);
    checkOut(commit, folder);
    const code = await run(process.execPath, [path.join(folder, 'scripts', 'build.mjs')], { cwd: folder });
    if (code !== 0 || !existsSync(path.join(folder, BUILT))) throw new Error(`the build of ${ref} failed`);
  }
  return { commit: commit.slice(0, 9), script: path.join(folder, 'dist', 'main.js') };
}

/** @param {string} ref */
function commitOf(ref) {
  try {
    const name = ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`];
    return execFileSync('git', name, { cwd: inRoot('.'), encoding: 'utf8' }).trim();
  } catch {
    throw new Error(`--against ${ref}: git knows no such commit`);
  }
}

/**
 * @param {string} commit
 * @param {string} folder
 */
function checkOut(commit, folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const archive = execFileSync('git', ['archive', commit], { cwd: inRoot('.'), maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  if (sameLock(folder)) borrowPackages(folder);
}

/** @param {string} folder */
function sameLock(folder) {
  const [ours, theirs] = [inRoot('.'), folder].map((root) =>
    readFileSync(path.join(root, 'package-lock.json'), 'utf8'),
  );
  return ours === theirs;
}

/**
 * The packages of this checkout, each as a link: the folder itself is the build's own, as it writes into it.
 * @param {string} folder
 */
function borrowPackages(folder) {
  const packages = inRoot('node_modules');
  mkdirSync(path.join(folder, 'node_modules'));
  for (const name of readdirSync(packages).filter((entry) => !entry.startsWith('.')))
    symlinkSync(path.join(packages, name), path.join(folder, 'node_modules', name));
  copyFileSync(path.join(packages, '.conch-lock'), path.join(folder, 'node_modules', '.conch-lock'));
}
