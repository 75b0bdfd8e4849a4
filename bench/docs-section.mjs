import { readFileSync, writeFileSync } from 'node:fs';

const PAGE = new URL('../docs/benchmarks.md', import.meta.url);

/**
 * Puts what was measured into its section of docs/benchmarks.md, in place of what stood there.
 * @param {'gateway' | 'triton' | 'flame' | 'scale' | 'footprint' | 'first-token'} section
 * @param {string} text Markdown
 */
export function writeSection(section, text) {
  const begin = `<!-- ${section}:begin -->`;
  const end = `<!-- ${section}:end -->`;
  const page = readFileSync(PAGE, 'utf8');
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`docs/benchmarks.md has no section between ${begin} and ${end}`);
  writeFileSync(PAGE, `${page.slice(0, from + begin.length)}\n\n${text.trim()}\n\n${page.slice(to)}`);
}
