import type { Command } from '../../config/command.ts';
import { type CommandInput, ownFlags } from '../../config/load.ts';
import { didYouMean } from '../../config/nearest.ts';
import { SettingsError } from '../../config/settings-error.ts';
import type { Terminal } from '../../serve/terminal.ts';
import type { CliCommand } from '../command.ts';
import { changeKeyFile, fileFlag, keyFileOf, onlyName } from './key-file.ts';

const flags = { file: fileFlag };

const definition: Command<typeof flags> = {
  name: 'keys revoke',
  summary: 'Revoke an API key: remove it from a key file',
  groups: [],
  flags,
  arguments: 'NAME',
  examples: ['conch keys revoke alice --file keys.yaml', 'CONCH_API_KEY_FILE=keys.yaml conch keys revoke alice'],
};

/** `conch keys revoke`. */
export const keysRevokeCommand: CliCommand = { definition, run };

async function run(input: CommandInput, terminal: Terminal): Promise<number> {
  const name = onlyName(input.positionals, definition.name);
  const { file } = ownFlags(input, definition);
  await changeKeyFile(keyFileOf(file, input.settings), { mayBeMissing: false }, (keyFile) => {
    const names = keyFile.keys.map((key) => key.name);
    const index = names.indexOf(name);
    if (index < 0) throw new SettingsError([`${keyFile.file} has no key named ${name}.${didYouMean(name, names)}`]);
    keyFile.document.deleteIn(['keys', index]);
  });
  terminal.out(`The key ${name} is revoked.`);
  return 0;
}
