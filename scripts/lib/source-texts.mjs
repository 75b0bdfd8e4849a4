import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { withoutCode } from './markdown.mjs';

/** @import { Text } from './voice-check.mjs' */

/** @typedef {{ file: string, line: number, name: string }} Name that a source declares: a file, a type, a variable */

/** @typedef {{ texts: Text[], names: Name[] }} Source what people read in one source file */

/** Replaces an expression in a template: one word, whatever its value is. */
const value = '`…`';

/**
 * The sources of a checkout below some folders, without tests.
 * @param {string} root
 * @param {readonly string[]} folders
 */
export function sourcesOf(root, folders) {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => [folder, ...name.split(sep)].join('/'))
      .filter((file) => /\.(?:ts|tsx|mjs)$/.test(file) && !/\.(?:test|d)\.\w+$|node_modules\//.test(file))
      .toSorted(),
  );
}

/**
 * Reads what people read in a source: strings of several words, text of JSX, comments, and the names that it declares.
 * @param {string} file
 * @param {string} [source]
 * @returns {Source}
 */
export function readSource(file, source = readFileSync(file, 'utf8')) {
  const { program, comments, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const lineOf = lineFinder(source);
  /** @type {Text[]} */
  const texts = [];
  /** @type {Name[]} */
  const names = [{ file, line: 1, name: nameOfFile(file) }];
  /** @type {(start: number, text: string) => void} */
  const read = (start, text) => {
    if (isProse(text)) texts.push({ file, line: lineOf(start), text: withoutCode(text) });
  };
  /** @type {(node: { type: string, start: number, name?: unknown }) => void} */
  const declare = ({ type, start, name }) => {
    if ((type === 'Identifier' || type === 'PrivateIdentifier') && typeof name === 'string')
      names.push({ file, line: lineOf(start), name });
  };
  /** @param {import('oxc-parser').ParamPattern | import('oxc-parser').BindingPattern} pattern */
  const declarePattern = (pattern) => {
    for (const bound of boundNames(pattern)) declare(bound);
  };
  new Visitor({
    Literal: (node) => {
      if (typeof node.value === 'string') read(node.start, node.value);
    },
    TemplateLiteral: ({ start, quasis }) => read(start, quasis.map((part) => part.value.cooked ?? '').join(value)),
    JSXText: ({ start, value: text }) => read(start, text),
    VariableDeclarator: ({ id }) => declarePattern(id),
    FunctionDeclaration: ({ id, params }) => {
      if (id !== null) declare(id);
      params.forEach(declarePattern);
    },
    FunctionExpression: ({ params }) => params.forEach(declarePattern),
    ArrowFunctionExpression: ({ params }) => params.forEach(declarePattern),
    ClassDeclaration: ({ id }) => {
      if (id !== null) declare(id);
    },
    TSInterfaceDeclaration: ({ id }) => declare(id),
    TSTypeAliasDeclaration: ({ id }) => declare(id),
    TSPropertySignature: ({ key }) => declare(key),
    TSMethodSignature: ({ key }) => declare(key),
    PropertyDefinition: ({ key }) => declare(key),
    MethodDefinition: ({ key }) => declare(key),
  }).visit(program);
  for (const { start, text } of joinedComments(comments, source)) {
    for (const paragraph of paragraphsOf(text)) read(start + paragraph.at, paragraph.text);
  }
  return { texts, names };
}

/**
 * The identifiers that a pattern declares.
 * @param {import('oxc-parser').ParamPattern | import('oxc-parser').BindingPattern | null} pattern
 * @returns {{ type: string, start: number, name: string }[]}
 */
function boundNames(pattern) {
  if (pattern === null) return [];
  switch (pattern.type) {
    case 'Identifier':
      return [pattern];
    case 'ObjectPattern':
      return pattern.properties.flatMap((part) => boundNames(part.type === 'RestElement' ? part : part.value));
    case 'ArrayPattern':
      return pattern.elements.flatMap((element) => boundNames(element));
    case 'AssignmentPattern':
      return boundNames(pattern.left);
    case 'RestElement':
      return boundNames(pattern.argument);
    case 'TSParameterProperty':
      return boundNames(pattern.parameter);
  }
}

/** @param {string} file */
function nameOfFile(file) {
  return file.slice(file.lastIndexOf('/') + 1).replace(/\.\w+$/, '');
}

/**
 * Whether a string is for people: several words, not code.
 * @param {string} text
 */
function isProse(text) {
  return /\p{L}{2,}[,:;]? +\p{L}/u.test(text.replaceAll(value, 'x')) || /^[A-Z]\p{L}+[.!?]?$/u.test(text.trim());
}

/**
 * Comments, those of successive lines as one, without their marks.
 * @param {readonly { type: string, value: string, start: number, end: number }[]} comments
 * @param {string} source
 */
function joinedComments(comments, source) {
  /** @type {{ start: number, end: number, isLine: boolean, text: string }[]} */
  const joined = [];
  for (const { type, value: text, start, end } of comments) {
    if (/^\s*(?:oxlint|biome|@ts|v8|c8|#|\/ )/.test(text)) continue;
    const last = joined.at(-1);
    const isLine = type === 'Line';
    if (isLine && last?.isLine && /^\s*$/.test(source.slice(last.end, start))) {
      last.text += `\n${text}`;
      last.end = end;
    } else joined.push({ start, end, isLine, text });
  }
  return joined;
}

/**
 * The paragraphs of a comment: a tag of JSDoc begins one, and its types are code.
 * @param {string} comment
 */
function paragraphsOf(comment) {
  const text = comment.replaceAll(/^[ \t]*\*?[ \t]?/gm, (mark) => ' '.repeat(mark.length));
  return [...text.matchAll(/\s*(?:@\w+[^@]*|[^@]+)(?=\s@|$)|[^]+/g)].flatMap(({ 0: part, index: at }) =>
    [...part.matchAll(/(?:(?!\n\s*\n)[^])+/g)].map(({ 0: paragraph, index }) => ({
      at: at + index + (paragraph.length - paragraph.trimStart().length),
      text: paragraph
        .replace(/^\s*@(?:param|returns?|type|typedef|import|template)\s*(?:\{[^]*\})?(?:\s*\[?[\w.]+\]?(?:\s|$))?/, '')
        .replaceAll(/\{@link (\S+?)\}/g, '`$1`')
        .trim(),
    })),
  );
}

/** @param {string} source */
function lineFinder(source) {
  const starts = [0];
  for (const { index } of source.matchAll(/\n/g)) starts.push(index + 1);
  /** @param {number} offset */
  return (offset) => {
    const next = starts.findIndex((start) => start > offset);
    return next === -1 ? starts.length : next;
  };
}
