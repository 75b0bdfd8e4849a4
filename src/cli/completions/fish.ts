import { firstWords, groupsOf, type Offer, type OfferedCommand, type OfferedFlag } from './offers.ts';

/** The completions of fish (3.0 and later), as one script. */
export function fishCompletions(commands: readonly OfferedCommand[]): string {
  const groups = groupsOf(commands);
  const known = [...groups.keys(), ...commands.map(({ name }) => name)];
  const summaries = firstWords(commands).map((word) =>
    line("''", [`-a ${word}`, described(summaryOf(word, commands))]),
  );
  return `# Completions of conch for fish. For every new shell: conch completions fish > ~/.config/fish/completions/conch.fish
function __conch_command
    set -l words (commandline -opc)
    set -e words[1]
    set -l command ''
    for word in $words
        set -l longer (string trim -- "$command $word")
        if contains -- $longer ${known.map(quoted).join(' ')}
            set command $longer
        end
    end
    echo $command
end

function __conch_is
    set -l command (__conch_command)
    contains -- "$command" $argv
end

complete -c conch -f
${summaries.join('\n')}
${[...groups].map(([name, words]) => line(name, [`-a ${quoted(words.join(' '))}`])).join('\n')}
${commands.flatMap(argumentLines).join('\n')}
${flagLines(commands).join('\n')}
`;
}

function summaryOf(word: string, commands: readonly OfferedCommand[]): string {
  const own = commands.find(({ name }) => name === word);
  return own?.summary ?? groupsOf(commands).get(word)?.join(', ') ?? '';
}

function argumentLines({ name, argument }: OfferedCommand): string[] {
  return argument.kind === 'nothing' ? [] : [line(quoted(name), [offerOption(argument)])];
}

/** A flag that several commands share has one line. */
function flagLines(commands: readonly OfferedCommand[]): string[] {
  const lines = new Map<string, string[]>();
  for (const [index, { name, flags }] of commands.entries())
    for (const flag of flags) {
      const options = flagOptions(flag).join(' ');
      // Without a command, the first one runs.
      lines.set(options, [...(lines.get(options) ?? []), ...(index === 0 ? ["''"] : []), quoted(name)]);
    }
  return [...lines].map(([options, names]) => line(names.join(' '), [options]));
}

function line(names: string, options: readonly string[]): string {
  return `complete -c conch -n "__conch_is ${names}" ${options.join(' ')}`;
}

function flagOptions({ spellings, summary, placeholder, offer }: OfferedFlag): string[] {
  return [
    ...spellings.map((spelling) => (spelling.startsWith('--') ? `-l ${spelling.slice(2)}` : `-s ${spelling.slice(1)}`)),
    // A value is required; only flags of files offer files.
    ...(placeholder === undefined ? [] : ['-r', offerOption(offer)]),
    described(summary),
  ];
}

function offerOption({ kind, words }: Offer): string {
  switch (kind) {
    case 'words':
      return `-f -a ${quoted(words.join(' '))}`;
    case 'files':
      return '-F';
    case 'folders':
      return "-f -a '(__fish_complete_directories)'";
    case 'nothing':
      return '-f';
  }
}

function described(summary: string): string {
  return `-d ${quoted(summary)}`;
}

function quoted(text: string): string {
  return /^[\w-]+$/.test(text) ? text : `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
}
