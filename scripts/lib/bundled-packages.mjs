import { readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

/** @typedef {{ folder: string, name: string, version: string, license: string }} BundledPackage */

const MARKER = `${sep}node_modules${sep}`;

/**
 * The packages that these modules are of.
 * @param {string[]} modules paths of files
 * @returns {BundledPackage[]}
 */
export function bundledPackages(modules) {
  return [...new Set(modules.flatMap(packageFolder))].toSorted().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return { folder, name, version, license };
  });
}

/** @param {string} module */
function packageFolder(module) {
  const at = module.lastIndexOf(MARKER);
  if (at < 0) return [];
  const [scope = '', name = ''] = module.slice(at + MARKER.length).split(sep);
  if (scope.startsWith('.')) return [];
  return [join(module.slice(0, at + MARKER.length), scope.startsWith('@') ? join(scope, name) : scope)];
}
