import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { inRoot } from '../support/environment.ts';

/** All sources as one text, with texts that are put together from several lines joined. */
function sources(): string {
  const files = readdirSync(inRoot('src'), { recursive: true, encoding: 'utf8' });
  const texts = files
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => readFileSync(inRoot(`src/${name}`), 'utf8'));
  return texts.join('\n').replaceAll(/['`] \+\s+['`]/g, '');
}

/** The messages in the first column of the tables, up to the part that goes by what one sees. */
function messages(): readonly string[] {
  const [page = ''] = readFileSync(inRoot('docs/troubleshooting.md'), 'utf8').split('## It answers, but not');
  const cells = [...page.matchAll(/^\| (`[^|]+`) +\|/gm)].map(([, cell = '']) => cell);
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, message = '']) => message));
}

const all = sources();

it.each(messages())('%s is a message of Conch', (message) => {
  const parts = message.split('…').map((part) => part.trim());
  expect(parts.filter((part) => part.length > 1 && !all.includes(part))).toEqual([]);
});

it('the page has messages', () => {
  expect(messages().length).toBeGreaterThan(40);
});
