import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { rooms } from '../rooms.mjs';
import { generatedPages } from './generated-pages.mjs';
import { importsBelow } from './imports.mjs';
import { namedFiles } from './named-files.mjs';
import { brokenRules } from './rooms-check.mjs';
import { inRoot } from './steps.mjs';
import { voiceProblems } from './voice-check.mjs';

/** @typedef {{ name: string, problems: () => Promise<string[]> }} Check one line for each problem */

/** What `npm run check` runs, the longest first. @type {readonly Check[]} */
export const checks = [
  ...['tsconfig.check.json', 'bench/tsconfig.json', 'scripts/tsconfig.json', 'web/tsconfig.json'].map((project) => ({
    name: `types (${project})`,
    problems: () => typeProblems(project),
  })),
  { name: 'lint', problems: lintProblems },
  { name: 'unused code', problems: unusedCode },
  { name: 'generated pages', problems: stalePages },
  { name: 'format', problems: formatProblems },
  { name: 'imports', problems: async () => brokenRules(rooms, importsBelow(inRoot('src'))) },
  { name: 'files named in pages', problems: async () => namedFiles(inRoot('')) },
  { name: 'voice', problems: async () => voiceProblems(inRoot('')) },
];

/** @param {string} project */
async function typeProblems(project) {
  const { code, output } = await tool('typescript/bin/tsc', ['-p', project, '--pretty', 'false']);
  return linesOf(code, output, /: error TS|^error TS/);
}

async function lintProblems() {
  const { code, output } = await tool('oxlint/bin/oxlint', ['--type-aware', '--deny-warnings', '--format=unix']);
  return linesOf(code, output, /^\S+:\d+:\d+: /);
}

async function formatProblems() {
  const { code, output } = await tool('@biomejs/biome/bin/biome', [
    'check',
    '--reporter=json',
    '--max-diagnostics=none',
    '.',
  ]);
  const { diagnostics } = /** @type {{ diagnostics: BiomeDiagnostic[] }} */ (parsed(output, { diagnostics: [] }));
  const found = diagnostics.map(({ category, message, location: { path, start } }) =>
    category === 'format' || category.startsWith('assist')
      ? `${path} is not formatted: npm run format`
      : `${path}:${start.line}: ${message}`,
  );
  return found.length > 0 ? [...new Set(found)] : linesOf(code, output, /^$/);
}

/** @typedef {{ category: string, message: string, location: { path: string, start: { line: number } } }} BiomeDiagnostic */

async function unusedCode() {
  const { code, output } = await tool('knip/bin/knip.js', ['--reporter', 'json']);
  const { issues } = /** @type {{ issues: KnipIssue[] }} */ (parsed(output, { issues: [] }));
  const found = issues.flatMap(({ file, ...kinds }) =>
    Object.entries(kinds).flatMap(([kind, items]) =>
      /** @type {{ name: string, line?: number }[]} */ (items).map(({ name, line }) =>
        kind === 'files' ? `${file} is used nowhere` : `${file}:${line ?? 1}: ${wordsFor(kind)} ${name}`,
      ),
    ),
  );
  return found.length > 0 ? found : linesOf(code, output, /^$/);
}

/** @typedef {{ file: string } & Record<string, unknown>} KnipIssue */

/**
 * What knip calls a kind of problem, in words.
 * @param {string} kind
 */
function wordsFor(kind) {
  const words = {
    unlisted: 'not listed in package.json:',
    unresolved: 'import not found:',
    duplicates: 'exported twice:',
  };
  return words[/** @type {keyof typeof words} */ (kind)] ?? `unused ${kind}:`;
}

async function stalePages() {
  const pages = await generatedPages();
  return pages
    .filter(({ file, text }) => readFileSync(inRoot(file), 'utf8') !== text)
    .map(({ file }) => `${file} is stale: npm run docs`);
}

/**
 * Runs a program of node_modules.
 * @param {string} program
 * @param {string[]} options
 * @returns {Promise<{ code: number | null, output: string }>}
 */
function tool(program, options) {
  const child = spawn(process.execPath, [inRoot(`node_modules/${program}`), ...options], {
    cwd: inRoot('.'),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (errors += text));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output: output.trim() === '' ? errors : output }));
  });
}

/**
 * The lines that name a problem; everything where a failed program named none.
 * @param {number | null} code
 * @param {string} output
 * @param {RegExp} problem
 */
function linesOf(code, output, problem) {
  if (code === 0) return [];
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const named = lines.filter((line) => problem.test(line));
  if (named.length > 0) return named;
  return lines.length > 0 ? lines : [`it ended with exit code ${code} and said nothing`];
}

/**
 * @param {string} text
 * @param {unknown} otherwise
 * @returns {unknown}
 */
function parsed(text, otherwise) {
  try {
    return JSON.parse(text);
  } catch {
    return otherwise;
  }
}
