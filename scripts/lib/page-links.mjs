import { posix } from 'node:path';
import { displayedText, lineAt, withoutCode } from './markdown.mjs';

/** @import { Page } from './markdown.mjs' */

/** @typedef {{ line: number, target: string }} Link */

/** @typedef {{ line: number, message: string }} LinkProblem */

/**
 * Links of a page that lead nowhere: to a file that is missing, to a heading that is missing, or by a reference without
 * a definition. A definition that nothing refers to is a problem too.
 * @param {string} file path of the page from the root
 * @param {ReadonlyMap<string, Page>} pages by their paths
 * @param {(path: string) => boolean} exists whether a path from the root does
 * @returns {LinkProblem[]}
 */
export function deadLinks(file, pages, exists) {
  const page = pages.get(file);
  if (page === undefined) return [];
  const references = referencesOf(page);
  const names = new Set(references.map(({ target }) => target));
  const withoutDefinition = references.filter(({ target }) => !page.definitions.has(target));
  const withoutReference = [...page.definitions].filter(([name]) => !names.has(name));
  return [
    ...linksOf(page).flatMap(({ line, target }) => {
      const message = problemOf(target, { file, pages, exists });
      return message === undefined ? [] : [{ line, message }];
    }),
    ...withoutDefinition.map(({ line, target }) => {
      return { line, message: `[${target}] is not defined: add "[${target}]: URL"` };
    }),
    ...withoutReference.map(([name, { line }]) => {
      return { line, message: `no link refers to [${name}]: remove its definition` };
    }),
  ];
}

/**
 * Targets of a page's links, also of those that its definitions hold.
 * @param {Page} page
 * @returns {Link[]}
 */
export function linksOf(page) {
  return [...matchesOf(page, /\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g), ...page.definitions.values()];
}

/**
 * Names that links like [text][name], [name][] and, where it is defined, [name] refer to.
 * @param {Page} page
 * @returns {Link[]}
 */
function referencesOf(page) {
  const full = matchesOf(page, /\[[^\]]+\]\[([^\]]+)\]/g);
  const short = matchesOf(page, /\[([^\]]+)\](?:\[\])/g);
  const bare = matchesOf(page, /\[([^\]]+)\](?![([])/g).filter(({ target }) =>
    page.definitions.has(target.toLowerCase()),
  );
  return [...full, ...short, ...bare].map(({ line, target }) => ({ line, target: target.toLowerCase() }));
}

/**
 * @param {Page} page
 * @param {RegExp} pattern with the target as its first group
 * @returns {Link[]}
 */
function matchesOf(page, pattern) {
  return page.passages.flatMap(({ line, source }) => {
    const text = withoutCode(source);
    return [...text.matchAll(pattern)].map(({ 1: target = '', index }) => ({
      line: lineAt(line, text, index),
      target,
    }));
  });
}

/**
 * @param {string} link
 * @param {{ file: string, pages: ReadonlyMap<string, Page>, exists: (path: string) => boolean }} site
 * @returns {string | undefined}
 */
function problemOf(link, { file, pages, exists }) {
  if (/^[a-z]+:/.test(link)) return undefined;
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? file : posix.join(posix.dirname(file), path);
  if (!exists(target)) return `the link ${link} leads to ${target}, which does not exist: correct its path`;
  const page = pages.get(target);
  if (anchor === undefined || page === undefined || anchorsOf(page).has(anchor)) return undefined;
  return `the link ${link} leads to no heading of ${target}: correct its anchor`;
}

/**
 * The anchors of a page's headings, as GitHub names them.
 * @param {Page} page
 */
function anchorsOf(page) {
  const anchors = new Set();
  for (const { kind, source } of page.passages) {
    if (kind !== 'heading') continue;
    const anchor = displayedText(source, { withCode: true })
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    let unique = anchor;
    for (let count = 1; anchors.has(unique); count++) unique = `${anchor}-${count}`;
    anchors.add(unique);
  }
  return anchors;
}
