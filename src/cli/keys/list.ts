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

const titles = ['NAME', 'HASH', 'MODELS', 'REQUESTS/MIN', 'TOKENS/MIN', 'CONCURRENT', 'PRIORITY', 'EXPIRES', 'STATE'];

async function run(input: CommandInput, terminal: Terminal): Promise<number> {
  const { file, json } = ownFlags(input, definition);
  const { keys } = await openKeyFile(keyFileOf(file, input.settings), { mayBeMissing: false });
  if (json) terminal.out(JSON.stringify(keys.map(shown), undefined, 2));
  else terminal.out(table(titles, keys.map(row)));
  return 0;
}

/** A few digits are enough to tell keys apart. */
function shown(key: KeyEntry) {
  return { ...key, hash: shortHash(key), state: stateOf(key) };
}

function row(key: KeyEntry): string[] {
  return [
    key.name,
    shortHash(key),
    key.models?.join(', ') ?? '*',
    String(key.requests_per_minute ?? '-'),
    String(key.tokens_per_minute ?? '-'),
    String(key.concurrent ?? '-'),
    key.priority ? 'yes' : 'no',
    key.expires ?? 'never',
    stateOf(key),
  ];
}

function shortHash({ hash }: KeyEntry): string {
  return hash.toLowerCase().slice(0, 'sha256:'.length + 8);
}

function stateOf({ expires }: KeyEntry): string {
  return expires !== undefined && Date.parse(expires) <= Date.now() ? 'expired' : 'valid';
}
