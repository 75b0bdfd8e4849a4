import { firstWords, groupsOf, type Offer, type OfferedCommand, type OfferedFlag, quoted } from './offers.ts';

/** The completions of bash (3.2 and later), as one script. */
export function bashCompletions(commands: readonly OfferedCommand[]): string {
  const groups = groupsOf(commands);
  const known = [...groups.keys(), ...commands.map(({ name }) => name)];
  const [first] = commands;
  return `# Completions of conch for bash. For every new shell, in ~/.bashrc: eval "$(conch completions bash)"
_conch_words() {
  COMPREPLY=($(compgen -W "$1" -- "$current"))
}

_conch_paths() {
  local IFS=$'\\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen "$1" -- "$current"))
}

_conch() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} command='' index word
  COMPREPLY=()
  # bash takes the = of --flag=value for a word of its own.
  if [[ $previous == '=' ]]; then
    previous=\${COMP_WORDS[COMP_CWORD - 2]}
  elif [[ $current == '=' ]]; then
    current=''
  fi
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${command:+$command }\${COMP_WORDS[index]}"
    case $word in
      ${known.map(quoted).join(' | ')}) command=$word ;;
    esac
  done
  case $command in
${[...groups].map(([name, words]) => `    ${name}) _conch_words ${quoted(words.join(' '))} ;;`).join('\n')}
${commands.map((command) => commandCase(command, command === first ? firstWords(commands) : [])).join('\n')}
  esac
}

complete -F _conch conch
`;
}

function commandCase({ name, flags, argument }: OfferedCommand, others: readonly string[]): string {
  const pattern = others.length > 0 ? `'' | ${quoted(name)}` : quoted(name);
  const valued = flags.filter(({ placeholder }) => placeholder !== undefined);
  const spellings = flags.flatMap((flag) => flag.spellings);
  const words = others.length > 0 ? ({ kind: 'words', words: others } as const) : argument;
  return `    ${pattern})
      case $previous in
${[...valuePatterns(valued), '        *)'].join('\n')}
          if [[ $current == -* ]]; then
            _conch_words ${quoted(spellings.join(' '))}
          else
            ${offerLine(words)}
          fi
          ;;
      esac
      ;;`;
}

/** Flags with the same values share a line. */
function valuePatterns(flags: readonly OfferedFlag[]): string[] {
  const lines = new Map<string, string[]>();
  for (const { spellings, offer } of flags) {
    const line = offerLine(offer);
    lines.set(line, [...(lines.get(line) ?? []), ...spellings]);
  }
  return [...lines].map(([line, spellings]) => `        ${spellings.join(' | ')}) ${line} ;;`);
}

function offerLine({ kind, words }: Offer): string {
  switch (kind) {
    case 'words':
      return `_conch_words ${quoted(words.join(' '))}`;
    case 'files':
      return '_conch_paths -f';
    case 'folders':
      return '_conch_paths -d';
    case 'nothing':
      return ':';
  }
}
