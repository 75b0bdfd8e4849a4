import { firstWords, groupsOf, type Offer, type OfferedCommand, type OfferedFlag, quoted } from './offers.ts';

/** The completions of zsh, as one script: run it in .zshrc, or store it as _conch in a folder of fpath. */
export function zshCompletions(commands: readonly OfferedCommand[]): string {
  const groups = groupsOf(commands);
  const known = [...groups.keys(), ...commands.map(({ name }) => name)];
  const [first] = commands;
  return `#compdef conch
# Completions of conch for zsh. For every new shell, in ~/.zshrc after compinit: source <(conch completions zsh)
_conch() {
  local command='' longer word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    longer="\${command:+$command }$word"
    case $longer in
      (${known.map(quoted).join('|')}) command=$longer ;;
    esac
  done
  case $command in
${[...groups].map(([name, words]) => `    (${name}) compadd -- ${words.join(' ')} ;;`).join('\n')}
${commands.map((command) => commandCase(command, command === first ? firstWords(commands) : [])).join('\n')}
  esac
}

# As a file of fpath it runs at its first use, else it only registers itself.
if [[ \${funcstack[1]} == _conch ]]; then
  _conch "$@"
else
  compdef _conch conch
fi
`;
}

function commandCase({ name, flags, argument }: OfferedCommand, others: readonly string[]): string {
  const pattern = others.length > 0 ? `''|${quoted(name)}` : quoted(name);
  const words = others.length > 0 ? ({ kind: 'words', words: others } as const) : argument;
  const specs = [...flags.flatMap(flagSpecs), `*: :${action(words)}`];
  return `    (${pattern})
      _arguments \\
        ${specs.map(quoted).join(' \\\n        ')}
      ;;`;
}

/** Every flag may be repeated. */
function flagSpecs({ spellings, summary, placeholder, offer }: OfferedFlag): string[] {
  if (placeholder === undefined) return spellings.map((spelling) => `*${spelling}[${summary}]`);
  const value = `[${summary}]:${placeholder.replaceAll(':', ' ')}:${action(offer)}`;
  return spellings.map((spelling) => `*${spelling}${spelling.startsWith('--') ? '=' : ''}${value}`);
}

function action({ kind, words }: Offer): string {
  switch (kind) {
    case 'words':
      return `(${words.join(' ')})`;
    case 'files':
      return '_files';
    case 'folders':
      return '_files -/';
    case 'nothing':
      return ' ';
  }
}
