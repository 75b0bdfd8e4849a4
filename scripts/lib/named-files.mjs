import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';

/** Folders whose files pages may name. */
const folders = ['bench', 'docs', 'scripts', 'src', 'test', 'web'];

/**
 * The source files that pages name and that are not there, a line for each. A path begins at the root, in src or at the
 * page; a name without a folder may be anywhere. Names with a word in capitals stand for files to come.
 * @param {ReadonlyMap<string, string>} pages their texts by their paths
 * @param {readonly string[]} files paths from the root
 * @returns {string[]}
 */
export function missingFiles(pages, files) {
  const known = new Set(files.flatMap((file) => [file, posix.basename(file)]));
  return [...pages].flatMap(([page, text]) =>
    text.split('\n').flatMap((line, at) =>
      [...line.matchAll(/`([\w./-]+\.(?:ts|tsx|mjs))`/g)]
        .map(([, name]) => /** @type {string} */ (name))
        .filter((name) => !/[A-Z]{3}/.test(name) && !locationsOf(name, page).some((location) => known.has(location)))
        .map((name) => `${page}:${at + 1} names ${name}, which is not there`),
    ),
  );
}

/**
 * Where a file may be.
 * @param {string} name
 * @param {string} page
 */
function locationsOf(name, page) {
  return [name, `src/${name}`, posix.join(posix.dirname(page), name)];
}

/**
 * What `missingFiles` needs, of a checkout.
 * @param {string} root
 */
export function namedFiles(root) {
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
      [folder, ...name.split(sep)].join('/'),
    ),
  );
  // The changelog tells of what was.
  const tops = readdirSync(root).filter((name) => name.endsWith('.md') && name !== 'CHANGELOG.md');
  const pages = [...tops, ...files.filter((name) => name.endsWith('.md'))];
  return missingFiles(new Map(pages.map((page) => [page, readFileSync(join(root, page), 'utf8')])), [
    ...files,
    ...readdirSync(root),
  ]);
}
