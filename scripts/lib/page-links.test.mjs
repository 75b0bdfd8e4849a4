import { expect, it } from 'vitest';
import { readMarkdown } from './markdown.mjs';
import { deadLinks } from './page-links.mjs';

/**
 * What is wrong with the links of docs/page.md, beside docs/other.md and LICENSE.
 * @param {string} text
 */
function problems(text) {
  const other =
    '# Other\n\n## A `--flag`, and more\n\n## Twice\n\n## Twice\n\n## [Link](page.md)\n\n```\n# code\n```\n';
  const pages = new Map([
    ['docs/page.md', readMarkdown(`# Page\n\n${text}\n`)],
    ['docs/other.md', readMarkdown(other)],
  ]);
  const found = deadLinks('docs/page.md', pages, (path) => pages.has(path) || path === 'LICENSE');
  return found.map(({ line, message }) => `${line}: ${message}`);
}

it.each([
  '[a](other.md), [b](#page), [c](../LICENSE), [d](https://host/x), [e](mailto:a@b)',
  '[a](other.md#a---flag-and-more), [b](other.md#twice), [c](other.md#twice-1), [d](other.md#link)',
  '[over\ntwo lines](other.md) and ![a picture](../LICENSE "title")',
  '`[code](gone.md)` and\n\n```md\n[code](gone.md)\n[code][gone]\n```',
  '[text][1], [One][], [two]\n\n[1]: other.md\n[one]: other.md#twice\n[Two]: https://host/x',
  '[not a link] and [ ]',
])('finds nothing wrong with %j', (text) => {
  expect(problems(text)).toEqual([]);
});

it.each([
  ['one\n[a](gone.md)', '4: the link gone.md leads to docs/gone.md, which does not exist: correct its path'],
  ['| [a](../gone) |', '3: the link ../gone leads to gone, which does not exist: correct its path'],
  ['## [a](gone.md)', '3: the link gone.md leads to docs/gone.md, which does not exist: correct its path'],
  ['[a](#gone)', '3: the link #gone leads to no heading of docs/page.md: correct its anchor'],
  ['[a](other.md#code)', '3: the link other.md#code leads to no heading of docs/other.md: correct its anchor'],
  ['[a](other.md#twice-2)', '3: the link other.md#twice-2 leads to no heading of docs/other.md: correct its anchor'],
  ['text\n\n[a](#text)', '5: the link #text leads to no heading of docs/page.md: correct its anchor'],
  ['[a][1]', '3: [1] is not defined: add "[1]: URL"'],
  ['[a][]', '3: [a] is not defined: add "[a]: URL"'],
  ['[a][1]\n\n[1]: gone.md', '5: the link gone.md leads to docs/gone.md, which does not exist: correct its path'],
  ['text\n\n[1]: other.md', '5: no link refers to [1]: remove its definition'],
])('of %j reports %j', (text, problem) => {
  expect(problems(text)).toEqual([problem]);
});
