import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import * as rules from '../voice-rules.mjs';
import { displayedText, lineAt, readMarkdown } from './markdown.mjs';
import { deadLinks, linksOf } from './page-links.mjs';
import { readSource, sourcesOf } from './source-texts.mjs';

/** @import { Page } from './markdown.mjs' */
/** @import { Name } from './source-texts.mjs' */

/** @typedef {'word' | 'riddle' | 'sentence' | 'line' | 'cell' | 'title' | 'link' | 'name'} Rule */

/** @typedef {{ write: string, avoid: string }} Word the advice, and the pattern of what to avoid */

/**
 * What a rule does not apply to: a phrase, a file, a section of a file, or a phrase there. The phrase is matched against
 * the text of the finding.
 * @typedef {{ rules: readonly Rule[], file?: string, section?: string, phrase?: RegExp, reason: string }} Exception
 */

/**
 * @typedef {{
 *   glossary: readonly Word[],
 *   riddles: readonly Word[],
 *   names: readonly Word[],
 *   limits: { words: number, columns: number, cell: number },
 *   titles: Readonly<Record<string, string>>,
 *   exceptions: readonly Exception[],
 * }} Rules
 */

/**
 * Something that a person reads: a passage of a page, or for example a help text or an error message.
 * @typedef {{ file: string, line: number, section?: string, text: string }} Text
 */

/** @typedef {{ file: string, line: number, rule: Rule, section: string, text: string, at?: number, message: string }} Finding */

/**
 * What the voice check reports of a checkout, a line for each finding.
 * @param {string} root
 */
export function voiceProblems(root) {
  const pages = new Map(pagesOf(root).map((file) => [file, readFileSync(join(root, file), 'utf8')]));
  const sources = sourcesOf(root, ['src', 'web']).map((file) =>
    readSource(file, readFileSync(join(root, file), 'utf8')),
  );
  const texts = sources.flatMap((source) => source.texts);
  const names = sources.flatMap((source) => source.names);
  return brokenVoice({ pages, texts, names, exists: (path) => existsSync(join(root, path)) }, rules);
}

/**
 * The pages of a checkout.
 * @param {string} root
 */
function pagesOf(root) {
  /** @param {string} folder */
  const below = (folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => [folder, ...name.split(sep)].join('/'))
      .toSorted();
  const all = [...readdirSync(root), ...['.github', 'deploy', 'docs', 'examples'].flatMap(below), 'bench/README.md'];
  return all.filter((file) => file.endsWith('.md') && !file.includes('node_modules/'));
}

/**
 * Where texts break the rules, and which exceptions nothing needs: a line each.
 * @param {{
 *   pages: ReadonlyMap<string, string>,
 *   texts?: readonly Text[],
 *   names?: readonly Name[],
 *   exists?: (path: string) => boolean,
 * }} sources Markdown pages by their paths; texts of other files like help, errors and comments; names in the code
 * @param {Rules} rules
 * @returns {string[]}
 */
export function brokenVoice({ pages, texts = [], names = [], exists = (path) => pages.has(path) }, rules) {
  const parsed = new Map([...pages].map(([file, text]) => [file, readMarkdown(text)]));
  const prose = [...parsed].flatMap(([file, page]) => textsOf(file, page));
  const findings = [
    ...[...prose, ...texts].flatMap((text) => [...avoidedWords(text, rules), ...longSentences(text, rules)]),
    ...[...parsed].flatMap(([file, page]) => [...longLines(file, page, rules), ...longCells(file, page, rules)]),
    ...wrongTitles(parsed, rules),
    ...[...parsed.keys()].flatMap((file) => linkFindings(file, parsed, exists)),
    ...unlistedPages(parsed),
    ...names.flatMap((name) => avoidedNames(name, rules)),
  ];
  const { remaining, unused } = applyExceptions(findings, rules.exceptions);
  return [
    ...remaining
      .toSorted((one, other) => one.file.localeCompare(other.file) || one.line - other.line)
      .map(({ file, line, message }) => `${file}:${line}: ${message}`),
    ...unused,
  ];
}

/**
 * The findings that no exception covers, and a line for each rule of an exception that covers none.
 * @param {readonly Finding[]} findings
 * @param {readonly Exception[]} exceptions
 */
function applyExceptions(findings, exceptions) {
  /** @type {Map<Exception, Set<Rule>>} */
  const uses = new Map(exceptions.map((exception) => [exception, new Set()]));
  const remaining = findings.filter((finding) => {
    const covering = exceptions.filter((exception) => covers(exception, finding));
    for (const exception of covering) uses.get(exception)?.add(finding.rule);
    return covering.length === 0;
  });
  const unused = exceptions.flatMap((exception) => {
    const { file, section, phrase } = exception;
    const where = [file, section, phrase].filter((part) => part !== undefined).join(', ');
    return exception.rules
      .filter((rule) => !uses.get(exception)?.has(rule))
      .map((rule) => `scripts/voice-rules.mjs: nothing needs the exception "${rule}" for ${where}: remove it`);
  });
  return { remaining, unused };
}

/**
 * @param {string} file
 * @param {Page} page
 * @returns {Text[]}
 */
function textsOf(file, page) {
  return page.passages.map(({ line, section, source }) => ({ file, line, section, text: displayedText(source) }));
}

/**
 * @param {Text} text
 * @param {Pick<Rules, 'glossary' | 'riddles'>} rules
 * @returns {Finding[]}
 */
function avoidedWords(text, { glossary, riddles }) {
  return [...matchesOf(text, 'word', glossary), ...matchesOf(text, 'riddle', riddles)];
}

/**
 * @param {Text} passage
 * @param {Rule} rule
 * @param {readonly Word[]} words
 * @returns {Finding[]}
 */
function matchesOf({ file, line, section = '', text }, rule, words) {
  const flat = text.replaceAll('\n', ' ');
  return words.flatMap(({ write, avoid }) =>
    [...flat.matchAll(patternOf(avoid))].map(({ 0: word, index: at }) => {
      const message = `"${word}": write ${write}`;
      return { file, line: lineAt(line, text, at), rule, section, text: flat, at, message };
    }),
  );
}

/**
 * @param {Name} name
 * @param {Pick<Rules, 'names'>} rules
 * @returns {Finding[]}
 */
function avoidedNames({ file, line, name }, rules) {
  const words = name.replaceAll(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[-_]/g, ' ');
  return matchesOf({ file, line, text: words }, 'name', rules.names).map(({ rule, message }) => {
    return { file, line, rule, section: '', text: name, message: `the name ${name} has ${message}` };
  });
}

/** @type {Map<string, RegExp>} */
const patterns = new Map();

/**
 * The pattern of whole words, compiled once.
 * @param {string} avoid
 */
function patternOf(avoid) {
  const pattern = patterns.get(avoid) ?? new RegExp(`(?<![\\w-])(?:${avoid})(?![\\w-])`, 'gi');
  patterns.set(avoid, pattern);
  return pattern;
}

/**
 * @param {Text} passage
 * @param {Pick<Rules, 'limits'>} rules
 * @returns {Finding[]}
 */
function longSentences({ file, line, section = '', text }, { limits }) {
  const sentences = [...text.matchAll(/[\s\S]+?(?:[.!?]["')\]]*(?=\s)|<br>|$)/g)];
  return sentences.flatMap(({ 0: sentence, index }) => {
    const words = sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}`]/u.test(word));
    if (words.length <= limits.words) return [];
    const begin = lineAt(line, text, index + sentence.search(/\S/));
    const message = `${words.length} words in the sentence "${words.slice(0, 5).join(' ')} …": split it (at most ${limits.words})`;
    return [{ file, line: begin, rule: 'sentence', section, text: words.join(' '), message }];
  });
}

/**
 * @param {string} file
 * @param {Page} page
 * @param {Pick<Rules, 'limits'>} rules
 * @returns {Finding[]}
 */
function longLines(file, { lines, passages }, { limits }) {
  const headings = passages.filter(({ kind }) => kind === 'heading');
  return lines.flatMap((text, index) => {
    const columns = Array.from(text).length;
    if (columns <= limits.columns) return [];
    const section = headings.findLast(({ line }) => line <= index + 1)?.section ?? '';
    const message = `${columns} columns: break the line (at most ${limits.columns})`;
    return [{ file, line: index + 1, rule: 'line', section, text, message }];
  });
}

/**
 * @param {string} file
 * @param {Page} page
 * @param {Pick<Rules, 'limits'>} rules
 * @returns {Finding[]}
 */
function longCells(file, { passages }, { limits }) {
  return passages.flatMap(({ line, kind, section, source }) => {
    const text = displayedText(source, { withCode: true });
    if (kind !== 'cell' || text.length <= limits.cell) return [];
    const message = `${text.length} characters in a table cell: shorten it or use a list (at most ${limits.cell})`;
    return [{ file, line, rule: 'cell', section, text, message }];
  });
}

/**
 * @param {ReadonlyMap<string, Page>} pages
 * @param {Pick<Rules, 'titles'>} rules
 * @returns {Finding[]}
 */
function wrongTitles(pages, { titles }) {
  const list = 'the titles in scripts/voice-rules.mjs';
  const missing = Object.keys(titles).filter((file) => !pages.has(file));
  return [
    ...[...pages].flatMap(([file, page]) => {
      const [first] = page.passages;
      const title = first?.kind === 'heading' ? first.source : '';
      if (title !== '' && titles[file] === title) return [];
      const expected = titles[file] === undefined ? `add it to ${list}` : `"${titles[file]}" is in ${list}`;
      const message =
        title === '' ? 'the page does not begin with a title' : `the title "${title}" is not listed: ${expected}`;
      return [titleFinding(file, first?.line ?? 1, title, message)];
    }),
    ...missing.map((file) => titleFinding(file, 1, '', `the page does not exist: remove it from ${list}`)),
  ];
}

/** @type {(file: string, line: number, text: string, message: string) => Finding} */
function titleFinding(file, line, text, message) {
  return { file, line, rule: 'title', section: '', text, message };
}

/**
 * @param {string} file
 * @param {ReadonlyMap<string, Page>} pages
 * @param {(path: string) => boolean} exists
 * @returns {Finding[]}
 */
function linkFindings(file, pages, exists) {
  return deadLinks(file, pages, exists).map(({ line, message }) => {
    return { file, line, rule: 'link', section: '', text: message, message };
  });
}

/**
 * Pages of docs/ that docs/README.md does not link to.
 * @param {ReadonlyMap<string, Page>} pages
 * @returns {Finding[]}
 */
function unlistedPages(pages) {
  const file = 'docs/README.md';
  const index = pages.get(file);
  if (index === undefined) return [];
  const linked = new Set(linksOf(index).map(({ target }) => `docs/${target}`));
  const topics = [...pages.keys()].filter((page) => /^docs\/[^/]+\.md$/.test(page) && page !== file);
  return topics
    .filter((page) => !linked.has(page))
    .map((page) => ({
      file,
      line: 1,
      rule: 'link',
      section: '',
      text: page,
      message: `no link leads to ${page}: add one`,
    }));
}

/**
 * Whether an exception is for a finding. A phrase must contain the word that was found.
 * @param {Exception} exception
 * @param {Finding} finding
 */
function covers({ rules, file, section, phrase }, finding) {
  if (!rules.includes(finding.rule)) return false;
  if (file !== undefined && file !== finding.file) return false;
  if (section !== undefined && section !== finding.section) return false;
  if (phrase === undefined) return true;
  const { text, at } = finding;
  const matches = [...text.matchAll(new RegExp(phrase.source, 'gi'))];
  return matches.some(({ 0: match, index }) => at === undefined || (index <= at && at < index + match.length));
}
