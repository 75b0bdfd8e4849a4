import { readFileSync } from 'node:fs';

/** The parsers that docs/tool-calling.md lists for a flag, with their aliases. */
export function documentedParsers(flag: '--tool-call-parser' | '--reasoning-parser'): string[] {
  const page = readFileSync(new URL('../../docs/tool-calling.md', import.meta.url), 'utf8');
  const [, table = ''] = page.split(`| \`${flag}\``);
  const rows = table.slice(0, table.indexOf('\n\n')).split('\n').slice(2);
  return rows.flatMap((row) => {
    const [, names = ''] = row.split('|');
    return [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
  });
}
