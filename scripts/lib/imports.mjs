import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

/** @typedef {{ file: string, line: number, target: string }} Import one file loads another, or types of it */

/**
 * The TypeScript files that a source imports: static, dynamic, types, and workers by
 * `new URL('./file.ts', import.meta.url)`. Packages are left out.
 * @param {string} file a path with slashes; the targets begin at the same folder
 * @param {string} source
 * @returns {Import[]}
 */
export function importsOf(file, source) {
  /** @type {Import[]} */
  const found = [];
  const lang = file.endsWith('x') ? 'tsx' : 'ts';
  walk(parseAst(source, { lang }), (node) => {
    const specifier = specifierOf(node);
    if (!specifier || !/^\..*\.tsx?$/.test(specifier)) return;
    const line = source.slice(0, node.start).split('\n').length;
    found.push({ file, line, target: posix.join(posix.dirname(file), specifier) });
  });
  return found;
}

/**
 * All TypeScript files below a folder and their imports. Tests are left out: they may set up whatever they need.
 * @param {string} folder
 * @returns {{ files: string[], imports: Import[] }}
 */
export function importsBelow(folder) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.split(sep).join('/'))
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name))
    .toSorted();
  return { files, imports: files.flatMap((file) => importsOf(file, readFileSync(join(folder, file), 'utf8'))) };
}

/** @typedef {{ type: string, start: number, [key: string]: unknown }} Node */

/**
 * @param {unknown} value
 * @param {(node: Node) => void} visit
 */
function walk(value, visit) {
  if (Array.isArray(value)) for (const item of value) walk(item, visit);
  else if (typeof value === 'object' && value !== null) {
    if ('type' in value && 'start' in value) visit(/** @type {Node} */ (value));
    for (const child of Object.values(value)) walk(child, visit);
  }
}

/**
 * What a node imports, as it is written.
 * @param {Node} node
 * @returns {string | undefined}
 */
function specifierOf(node) {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
    case 'ImportExpression':
    case 'TSImportType':
      return literal(node['source']);
    case 'NewExpression':
      return isNamed(node['callee'], 'URL') ? literal(/** @type {unknown[]} */ (node['arguments'])[0]) : undefined;
    default:
      return undefined;
  }
}

/**
 * @param {unknown} node
 * @returns {string | undefined}
 */
function literal(node) {
  const value = /** @type {{ value?: unknown } | null | undefined} */ (node)?.value;
  return typeof value === 'string' ? value : undefined;
}

/**
 * @param {unknown} node
 * @param {string} name
 */
function isNamed(node, name) {
  return /** @type {{ name?: unknown }} */ (node).name === name;
}
