/**
 * A heading, a paragraph, a list item or a table cell. Its section is the heading above it.
 * @typedef {{ line: number, kind: 'heading' | 'text' | 'cell', section: string, source: string }} Passage
 */

/** @typedef {{ lines: string[], passages: Passage[], definitions: Map<string, Definition> }} Page */

/** @typedef {{ line: number, target: string }} Definition of a link, like `[1]: docs/api.md` */

/** Replaces a code span in the text of a passage: one word, whatever the code is. */
const code = '`…`';

/**
 * Reads the prose of a page. Code blocks and comments are left out; lines count from 1.
 * @param {string} text
 * @returns {Page}
 */
export function readMarkdown(text) {
  const lines = text.split('\n');
  const page = { lines, passages: /** @type {Passage[]} */ ([]), definitions: new Map() };
  /** @type {Passage | undefined} */
  let open;
  let section = '';
  /** @type {(kind: Passage['kind'], line: number, source: string) => Passage} */
  const begin = (kind, line, source) => {
    const passage = { line, kind, section, source };
    page.passages.push(passage);
    return passage;
  };
  for (const [at, line] of proseLines(lines).entries()) {
    const content = line.replace(/^[\s>]+/, '').trimEnd();
    const [, heading] = /^#{1,6} (.+)$/.exec(content) ?? [];
    const [, name, target] = /^\[([^\]]+)\]: *(\S+)/.exec(content) ?? [];
    const [, item] = /^(?:[-*+]|\d+[.)]) +(.*)$/.exec(content) ?? [];
    if (heading !== undefined) {
      section = heading;
      begin('heading', at + 1, heading);
    } else if (name !== undefined && target !== undefined) {
      page.definitions.set(name.toLowerCase(), { line: at + 1, target });
    } else if (content.startsWith('|')) {
      for (const cell of cellsOf(content)) begin('cell', at + 1, cell);
    } else if (item !== undefined) {
      open = begin('text', at + 1, item);
      continue;
    } else if (content !== '') {
      if (open === undefined) open = begin('text', at + 1, content);
      else open.source += `\n${content}`;
      continue;
    }
    open = undefined;
  }
  return page;
}

/**
 * The lines with those of code blocks and of comments emptied.
 * @param {readonly string[]} lines
 */
function proseLines(lines) {
  /** @type {string | undefined} */
  let end;
  let inList = false;
  let before = '';
  return lines.map((line) => {
    if (end !== undefined) {
      if (end === '-->' ? line.includes(end) : line.trim() === end) end = undefined;
      return '';
    }
    const [, fence] = /^[\s>]*(?:(?:[-*+]|\d+[.)]) +)?(`{3,}|~{3,})/.exec(line) ?? [];
    const comment = /^\s*<!--/.test(line);
    if (fence !== undefined) end = fence;
    else if (comment && !line.includes('-->')) end = '-->';
    if (/^(?:[-*+]|\d+[.)]) /.test(line)) inList = true;
    else if (/^\S/.test(line) && before === '') inList = false;
    const indented = /^ {4}/.test(line) && before === '' && !inList;
    // The lines of an indented block follow each other, so each counts as preceded by an empty one.
    if (!indented) before = line.trim();
    return fence !== undefined || comment || indented ? '' : line;
  });
}

/**
 * The cells of a table's row, without those of the row of dashes.
 * @param {string} row
 */
function cellsOf(row) {
  const cells = row.split(/(?<!\\)\|/).slice(1);
  return cells.map((cell) => cell.trim()).filter((cell) => cell !== '' && !/^:?-+:?$/.test(cell));
}

/**
 * A passage as its reader sees it: links by their text, without markup. Line breaks stay where they are.
 * @param {string} source
 * @param {{ withCode?: boolean }} [options] code spans in full, not as one word each
 */
export function displayedText(source, { withCode = false } = {}) {
  return withoutCode(source, (span) => (withCode ? span : code))
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\[([^\]]+)\]\[[^\]]*\]/g, '$1')
    .replaceAll(/<(?!br>)\/?[a-z][^>]*>/gi, '')
    .replaceAll(/\*+|(?<!\w)_+|_+(?!\w)/g, '');
}

/**
 * A passage with its code spans replaced. Line breaks stay.
 * @param {string} source
 * @param {(span: string) => string} [replace]
 */
export function withoutCode(source, replace = () => code) {
  return source.replaceAll(/(?<!`)(`+)(?!`)([\s\S]*?[^`])\1(?!`)/g, (_, __, /** @type {string} */ span) => {
    const text = replace(span.replaceAll('\n', ' '));
    return `${text}${'\n'.repeat(span.split('\n').length - 1)}`;
  });
}

/**
 * The line of a place in a text that begins in a line.
 * @param {number} line
 * @param {string} text
 * @param {number} offset
 */
export function lineAt(line, text, offset) {
  return line + text.slice(0, offset).split('\n').length - 1;
}
