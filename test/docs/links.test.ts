import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { inRoot } from '../support/environment.ts';
import { pages } from './read-snippets.ts';

/** Links of a page to files of the checkout, outside code. */
function linksOf(page: string): readonly string[] {
  const text = readFileSync(inRoot(page), 'utf8')
    .replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')
    .replaceAll(/`[^`\n]*`/g, '');
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  return links.filter((link) => !/^[a-z]+:/.test(link));
}

/** The places of a page that links can lead to, as GitHub names them. */
function placesOf(page: string): readonly string[] {
  const headings = [...readFileSync(inRoot(page), 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

const linking = [...pages(), 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'bench/README.md'];

it.each(linking)('every link of %s leads somewhere', (page) => {
  const broken = linksOf(page).filter((link) => {
    const [path = '', place] = link.split('#');
    const target = path === '' ? page : join(dirname(page), path);
    if (!existsSync(inRoot(target))) return true;
    return place !== undefined && target.endsWith('.md') && !placesOf(target).includes(place);
  });
  expect(broken).toEqual([]);
});

it('docs/README.md leads to every page of docs/', () => {
  const listed = new Set(linksOf('docs/README.md').map((link) => join('docs', link)));
  const own = pages().filter((page) => /^docs\/[^/]+\.md$/.test(page) && page !== 'docs/README.md');
  expect(own.filter((page) => !listed.has(page))).toEqual([]);
});
