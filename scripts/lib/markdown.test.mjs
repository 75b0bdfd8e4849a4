import { expect, it } from 'vitest';
import { displayedText, lineAt, readMarkdown } from './markdown.mjs';

/** @param {string[]} lines */
function passages(...lines) {
  return readMarkdown(lines.join('\n')).passages.map(({ line, kind, source }) => [line, kind, source]);
}

it('reads headings, paragraphs, list items, quotes and table cells', () => {
  expect(passages('# Title', 'one', 'two', '', '- item', '  goes on', '1. first', '', '   more', '> quote')).toEqual([
    [1, 'heading', 'Title'],
    [2, 'text', 'one\ntwo'],
    [5, 'text', 'item\ngoes on'],
    [7, 'text', 'first'],
    [9, 'text', 'more\nquote'],
  ]);
  expect(passages('| a | b \\| c |', '| - | :-: |', '|  | `d` |', 'text')).toEqual([
    [1, 'cell', 'a'],
    [1, 'cell', 'b \\| c'],
    [3, 'cell', '`d`'],
    [4, 'text', 'text'],
  ]);
});

it('leaves out fenced and indented code, comments and definitions of links', () => {
  expect(passages('```sh', 'code', '', '```', '- ```', '  code', '  ```', '~~~', '```', '~~~', 'text')).toEqual([
    [11, 'text', 'text'],
  ]);
  expect(passages('text', '', '    code', '    code', '', '    code', 'text')).toEqual([
    [1, 'text', 'text'],
    [7, 'text', 'text'],
  ]);
  expect(passages('<!-- a -->', '<!-- b', 'c -->', '[1]: page.md', 'a <!-- b -->')).toEqual([
    [5, 'text', 'a <!-- b -->'],
  ]);
  expect(readMarkdown('[One]: page.md').definitions).toEqual(new Map([['one', { line: 1, target: 'page.md' }]]));
});

it('reads indented lines of a list item as text', () => {
  expect(passages('- item', '', '    more', '', 'text', '', '    code')).toEqual([
    [1, 'text', 'item'],
    [3, 'text', 'more'],
    [5, 'text', 'text'],
  ]);
});

it('knows the heading above each passage', () => {
  const { passages } = readMarkdown('one\n# A\ntwo\n## B\n| three |');
  expect(passages.map(({ section }) => section)).toEqual(['', 'A', 'A', 'B', 'B']);
});

it.each([
  ['**bold**, _italic_ and snake_case_name', 'bold, italic and snake_case_name'],
  ['[a link](page.md "title"), ![a picture](a.png), [one][1], [two][]', 'a link, a picture, one, two'],
  ['`code` and ``a ` b``', '`…` and `…`'],
  ['an `unclosed span', 'an `unclosed span'],
  ['<kbd>Esc</kbd> and<br>more, 1 < 2', 'Esc and<br>more, 1 < 2'],
])('shows %j as %j', (source, text) => {
  expect(displayedText(source)).toBe(text);
});

it('shows code where it is wanted', () => {
  expect(displayedText('`a  b` [c](d)', { withCode: true })).toBe('a  b c');
});

it('has every word in its line, after code and links over several lines', () => {
  const text = displayedText('one `a\nb` [two\nthree](page.md) four');
  expect(lineAt(7, text, text.indexOf('two'))).toBe(8);
  expect(lineAt(7, text, text.indexOf('four'))).toBe(9);
});
