import { z } from 'zod';
import type { Command } from '../../config/command.ts';
import { type CommandInput, ownFlags } from '../../config/load.ts';
import { setting } from '../../config/setting.ts';
import type { KeyEntry } from '../../keys/key-file.ts';
import type { Terminal } from '../../serve/terminal.ts';
import { table } from '../../table.ts';
import type { CliCommand } from '../command.ts';
import { fileFlag, keyFileOf, openKeyFile } from './key-file.ts';

const flags = {
  file: fileFlag,
  json: setting(z.boolean().default(false), 'Print JSON.'),
};

const definition: Command<typeof flags> = {
  name: 'keys list',
  summary: 'List the API keys of a key file with their limits and state',
  groups: [],
  flags,
  examples: ['conch keys list --file keys.yaml', 'CONCH_API_KEY_FILE=keys.yaml conch keys list --json'],
};

/** `conch keys list`. */
export const keysListCommand: CliCommand = { definition, run };

/** Columns of a usual terminal. */
const tableWidth = 80;

interface Column {
  readonly title: string;
  readonly cell: (key: KeyEntry) => string | undefined;
  /** Text for keys without a value, in a column that another key fills. A column that no key fills is left out. */
  readonly empty?: string;
}

const columns: readonly Column[] = [
  { title: 'NAME', cell: ({ name }) => name },
  { title: 'HASH', cell: (key) => shortHash(key).replace('sha256:', '') },
  { title: 'MODELS', cell: ({ models }) => models?.join(', ') ?? '*' },
  { title: 'REQ/MIN', cell: (key) => key.requests_per_minute?.toString() },
  { title: 'TOK/MIN', cell: (key) => key.tokens_per_minute?.toString() },
  { title: 'CONC', cell: ({ concurrent }) => concurrent?.toString() },
  { title: 'PRIORITY', cell: ({ priority }) => (priority ? 'yes' : undefined), empty: 'no' },
  { title: 'EXPIRES', cell: expiryOf, empty: 'never' },
];

async function run(input: CommandInput, terminal: Terminal): Promise<number> {
  const { file, json } = ownFlags(input, definition);
  const { keys } = await openKeyFile(keyFileOf(file, input.settings), { mayBeMissing: false });
  if (json) terminal.out(JSON.stringify(keys.map(toJson), undefined, 2));
  else terminal.out(keyTable(keys));
  return 0;
}

/** A few digits are enough to tell keys apart. */
function toJson(key: KeyEntry) {
  return { ...key, hash: shortHash(key), state: stateOf(key) };
}

/** The keys as a table that fits a terminal of 80 columns. */
export function keyTable(keys: readonly KeyEntry[]): string {
  const visibleColumns = columns.filter(
    ({ cell }, index) => index === 0 || keys.some((key) => cell(key) !== undefined),
  );
  const titles = visibleColumns.map(({ title }) => title);
  const rows = keys.map((key) => visibleColumns.map(({ cell, empty = '-' }) => cell(key) ?? empty));
  const widths = titles.map((title, index) =>
    Math.max(title.length, ...rows.map((cells) => cells[index]?.length ?? 0)),
  );
  let excess = widths.reduce((sum, width) => sum + width + 2, -2) - tableWidth;
  for (const [title, least] of [
    ['MODELS', 12],
    ['NAME', 12],
    ['MODELS', 6],
    ['NAME', 6],
  ] as const) {
    const index = titles.indexOf(title);
    const width = widths[index] ?? 0;
    const cut = Math.min(excess, width - least);
    if (cut <= 0) continue;
    widths[index] = width - cut;
    excess -= cut;
  }
  const fit = (cell: string, width = 0): string => (cell.length > width ? `${cell.slice(0, width - 1)}…` : cell);
  return table(
    titles,
    rows.map((cells) => cells.map((cell, index) => fit(cell, widths[index]))),
  );
}

function shortHash({ hash }: KeyEntry): string {
  return hash.toLowerCase().slice(0, 'sha256:'.length + 8);
}

function expiryOf(key: KeyEntry): string | undefined {
  return stateOf(key) === 'expired' ? 'expired' : key.expires?.slice(0, 10);
}

function stateOf({ expires }: KeyEntry): string {
  return expires !== undefined && Date.parse(expires) <= Date.now() ? 'expired' : 'valid';
}
