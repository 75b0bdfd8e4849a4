import type { Command } from '../config/command.ts';
import { didYouMean } from '../config/nearest.ts';
import { SettingsError } from '../config/settings-error.ts';
import type { CliCommand } from './command.ts';
import { bashCompletions } from './completions/bash.ts';
import { fishCompletions } from './completions/fish.ts';
import { offersOf } from './completions/offers.ts';
import { zshCompletions } from './completions/zsh.ts';

const scripts = new Map([
  ['bash', bashCompletions],
  ['zsh', zshCompletions],
  ['fish', fishCompletions],
]);

const definition: Command = {
  name: 'completions',
  summary: 'Print shell completions of commands, flags and values',
  groups: [],
  arguments: [...scripts.keys()].join('|'),
  examples: [
    'eval "$(conch completions bash)"',
    'source <(conch completions zsh)',
    'conch completions fish > ~/.config/fish/completions/conch.fish',
  ],
};

/** `conch completions`, for these commands. */
export function completionsCommand(commands: () => readonly CliCommand[]): CliCommand {
  return {
    definition,
    run: async ({ positionals }, terminal) => {
      const [shell = '', ...more] = positionals;
      const script = scripts.get(shell);
      if (script === undefined || more.length > 0) {
        const message = `conch completions needs the name of a shell: ${[...scripts.keys()].join(', ')}.`;
        throw new SettingsError([`${message}${didYouMean(shell, scripts.keys())}`]);
      }
      terminal.write(script(offersOf(commands().map((command) => command.definition))));
      return 0;
    },
  };
}
