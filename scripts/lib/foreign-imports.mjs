import { isBuiltin } from 'node:module';

/** What is asked for at run time, as rolldown writes it. */
const REQUIRED = /\brequire\("([^"]+)"\)/g;

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
    // Built files are all in one folder.
    const required = [...code.matchAll(REQUIRED)].map(([, id = '']) => id.replace(/^\.\//, 'parts/'));
    const foreign = [...imports, ...dynamicImports, ...required].filter((id) => !isKnown(id));
    return foreign.map((id) => `${fileName} imports ${id}`);
  });
}
