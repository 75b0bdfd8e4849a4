import { isBuiltin } from 'node:module';

/** What CommonJS modules ask for at run time, as rolldown writes it. */
const REQUIRED = /\b__require\("([^"]+)"\)/g;

/**
 * What built files import that is neither among them, nor a part of Node, nor one of the packages that may be imported.
 * @param {{ fileName: string, imports: string[], dynamicImports: string[], code: string }[]} files
 * @param {string[]} packages
 */
export function foreignImports(files, packages) {
  const built = new Set(files.map(({ fileName }) => fileName));
  const isKnown = (/** @type {string} */ id) =>
    built.has(id) || isBuiltin(id) || packages.some((name) => id === name || id.startsWith(`${name}/`));
  return files.flatMap(({ fileName, imports, dynamicImports, code }) => {
    const required = [...code.matchAll(REQUIRED)].map(([, id = '']) => id);
    const foreign = [...imports, ...dynamicImports, ...required].filter((id) => !isKnown(id));
    return foreign.map((id) => `${fileName} imports ${id}`);
  });
}
