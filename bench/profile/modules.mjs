/** The modules within a built file: the build writes the name of each on a line before it. */
import { readFileSync } from 'node:fs';

/** A source of ours, a file of a package, or something that the bundler made up. */
const NAME = /^\/\/ ((?:src\/|\.\.\/|\\0)\S+)$/;

/**
 * Finds of which module a frame is; undefined for a file without such names.
 * @param {(url: string) => string} [read]
 */
export function moduleFinder(read = (url) => readFileSync(new URL(url), 'utf8')) {
  /** @type {Map<string, (string | undefined)[]>} */
  const files = new Map();
  const modulesOf = (/** @type {string} */ url) => {
    /** @type {string | undefined} */
    let module;
    return read(url)
      .split('\n')
      .map((line) => {
        module = NAME.exec(line)?.[1] ?? module;
        return module;
      });
  };
  return (/** @type {{ url: string, lineNumber: number }} */ { url, lineNumber }) => {
    if (!url.startsWith('file:') || !url.includes('/dist/')) return;
    const modules = files.get(url) ?? modulesOf(url);
    files.set(url, modules);
    return modules[lineNumber];
  };
}
