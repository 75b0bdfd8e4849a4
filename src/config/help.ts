import { type Command, exitCodesOf } from './command.ts';
import {
  defaultTextOf,
  flagsOf,
  type Group,
  groups,
  kindOf,
  longFlag,
  placeholdersOf,
  type Setting,
  type SettingTable,
  summaryOf,
  variablesOf,
} from './setting.ts';
import { settingTable } from './settings.ts';

interface HelpOptions {
  readonly commands: readonly [Command, ...Command[]];
  /** The command to describe, or the first word of several; undefined: `conch` itself. */
  readonly command?: string | undefined;
  /** Show all commands with all flags, instead of the common flags. */
  readonly isFull?: boolean;
  /** Columns of the terminal. */
  readonly width?: number;
  /** How headings are emphasized; undefined: not at all. */
  readonly heading?: (text: string) => string;
}

/** The text of `conch --help`, `conch help all` or `conch COMMAND --help`. */
export function helpText(options: HelpOptions): string {
  const { width = 80, heading = (text) => text } = options;
  const layout: Layout = { width: Math.max(width, 40), heading };
  const sections = sectionsOf(options, layout).filter((section) => section !== '');
  return `${sections.map((section) => wrap(section, layout.width)).join('\n\n')}\n`;
}

function sectionsOf({ commands, command, isFull = false }: HelpOptions, layout: Layout): readonly string[] {
  if (command === undefined) return isFull ? fullHelp(commands, layout) : shortHelp(commands, layout);
  const group = commands.filter(({ name }) => name.startsWith(`${command} `));
  if (group.length > 0) return groupHelp(command, group, layout);
  return commandHelp(commands.find(({ name }) => name === command) ?? commands[0], layout);
}

const introduction = 'Conch: an OpenAI-compatible server for language models on NVIDIA Triton.';

const notes =
  'You can also set a flag by the environment variable in its brackets, or in the configuration file (--config) under ' +
  'the same name with underscores. A flag overrides an environment variable, and both override the file. ' +
  'A flag with [MODEL=] applies to all models, or with MODEL= to one. A flag without a value has a --no- version. ' +
  'Write a duration as 500ms, 2s, 5m or a number of seconds, and a size as 64MiB or a number of bytes.';

interface Layout {
  readonly width: number;
  readonly heading: (text: string) => string;
}

/** The commands, and the flags that most people need. */
function shortHelp(commands: readonly [Command, ...Command[]], layout: Layout): readonly string[] {
  return [
    introduction,
    usageSection(commands[0], { ...layout, withCommands: true }),
    commandSection([...commands, helpRow], layout),
    commonSection(layout),
    exampleSection(commands[0], layout),
    'Run conch COMMAND --help for one command, or conch help all for every flag.\nRead docs/README.md for guides and the reference.',
  ];
}

/** All commands and all flags. */
function fullHelp(commands: readonly [Command, ...Command[]], layout: Layout): readonly string[] {
  const [first] = commands;
  const ownSections = commands.flatMap(({ name, flags }) =>
    flags === undefined ? [] : [settingSection(`Flags of conch ${name}`, flags, { ...layout, isOwn: true })],
  );
  return [
    introduction,
    usageSection(first, { ...layout, withCommands: true }),
    commandSection([...commands, helpRow], layout),
    ...first.groups.map((group) => settingSection(groups[group], settingsOf(group), layout)),
    ...ownSections,
    notes,
    exitCodeSection(first, layout),
    exampleSection(first, layout),
    'Read docs/settings.md about the settings and docs/cli.md about the commands.',
  ];
}

/** One command with all its flags. */
function commandHelp(command: Command, layout: Layout): readonly string[] {
  const { summary, flags } = command;
  const shared = [...new Set([...command.groups, 'general' as const])];
  return [
    `${summary}.`,
    usageSection(command, layout),
    ...(flags === undefined ? [] : [settingSection('Flags of this command', flags, { ...layout, isOwn: true })]),
    ...shared.map((group) => settingSection(groups[group], settingsOf(group), layout)),
    notes,
    exitCodeSection(command, layout),
    exampleSection(command, layout),
    'Run conch help all for all commands and flags. Read docs/cli.md for more.',
  ];
}

/** The commands that begin with this word. */
function groupHelp(word: string, commands: readonly Command[], layout: Layout): readonly string[] {
  return [
    `${layout.heading('Usage:')} conch ${word} COMMAND [flags]`,
    commandSection(commands, layout),
    `Run conch ${word} COMMAND --help for one command.`,
  ];
}

/** The settings of one group. */
export function settingsOf(group: Group): SettingTable {
  return Object.fromEntries(Object.entries<Setting>(settingTable).filter(([, setting]) => setting.group === group));
}

function usageSection(
  { name, arguments: words, takesRest }: Command,
  { heading, withCommands = false }: Layout & { withCommands?: boolean },
): string {
  const parts = ['conch', withCommands ? '[command]' : name, '[flags]', words, takesRest ? '[-- …]' : undefined];
  return `${heading('Usage:')} ${parts.filter((part) => part !== undefined).join(' ')}`;
}

const helpRow = { name: 'help', summary: 'Show help for a command, or for everything (help all)' };

function commandSection(rows: readonly Pick<Command, 'name' | 'summary'>[], layout: Layout): string {
  return columns(
    'Commands',
    rows.map(({ name, summary }) => [name, `${summary}.`]),
    layout,
  );
}

function commonSection(layout: Layout): string {
  const rows = Object.entries<Setting>(settingTable)
    .filter(([, { isCommon }]) => isCommon)
    .map(([name, setting]): readonly [string, string] => {
      // A default in words is too long for a line.
      const standard = setting.defaultText === undefined ? defaultTextOf(setting) : undefined;
      const text = `${summaryOf(setting)}.${standard === undefined ? '' : ` [default: ${standard}]`}`;
      return [flagLine([...(setting.short === undefined ? [] : [`-${setting.short}`]), longFlag(name)], setting), text];
    });
  return columns('Common flags', rows, layout);
}

function exitCodeSection(command: Command, layout: Layout): string {
  return columns('Exit codes', exitCodesOf(command), layout);
}

function exampleSection({ examples = [] }: Command, { heading }: Layout): string {
  return examples.length === 0 ? '' : `${heading('Examples:')}\n${examples.map((line) => `  ${line}`).join('\n')}`;
}

/** Rows of a name and a text. A name that is too long for a narrow terminal has a line for itself. */
function columns(
  title: string,
  rows: readonly (readonly [name: string, text: string])[],
  { heading, width }: Layout,
): string {
  const column = Math.min(Math.max(...rows.map(([name]) => name.length)) + 4, Math.floor(width / 2));
  const lines = rows.map(([name, text]) => {
    const begin = name.length + 4 > column ? `  ${name}\n${' '.repeat(column)}` : `  ${name}`.padEnd(column);
    return begin + hang(text, { column, width });
  });
  return `${heading(`${title}:`)}\n${lines.join('\n')}`;
}

function settingSection(title: string, table: SettingTable, layout: Layout & { isOwn?: boolean }): string {
  const column = 10;
  const entries = Object.entries(table).map(([name, setting]) => {
    const facts = factsOf(name, setting, { withVariable: layout.isOwn !== true });
    const text = `${setting.help}${facts === '' ? '' : ` [${facts}]`}`;
    const flags = flagsOf(name, setting).toSorted(
      (left, right) => Number(left.startsWith('--')) - Number(right.startsWith('--')),
    );
    const first = setting.flag === false ? `    ${variablesOf(name, setting).join(', ')}` : flagLine(flags, setting);
    return `  ${first}\n${' '.repeat(column)}${hang(text, { column, width: layout.width })}`;
  });
  return `${layout.heading(`${title}:`)}\n${entries.join('\n')}`;
}

/** `-p, --port, --openai-port N`. */
function flagLine(flags: readonly string[], setting: Setting): string {
  const value = kindOf(setting.schema) === 'boolean' ? '' : ` ${placeholdersOf(setting).join(' ')}`;
  return `${setting.short === undefined ? '    ' : ''}${flags.join(', ')}${value}`;
}

function factsOf(name: string, setting: Setting, { withVariable }: { withVariable: boolean }): string {
  const standard = defaultTextOf(setting);
  const [variable] = withVariable && setting.flag !== false ? variablesOf(name, setting) : [];
  const facts = [
    repeats(setting) ? 'repeatable' : undefined,
    standard === undefined ? undefined : `default: ${standard}`,
    variable,
  ];
  return facts.filter((fact) => fact !== undefined).join('; ');
}

/** Whether a flag may be given several times with an effect each time. */
export function repeats({ schema, perModel }: Setting): boolean {
  return perModel === true || kindOf(schema) === 'list';
}

/** Breaks a text so that its further lines begin at the column. */
function hang(text: string, { column, width }: { column: number; width: number }): string {
  return breakLines(text, Math.max(width - column, 20)).join(`\n${' '.repeat(column)}`);
}

/** Breaks the lines that are too long, except for examples and entries, which begin with spaces. */
function wrap(section: string, width: number): string {
  return section
    .split('\n')
    .flatMap((line) => (line.startsWith(' ') ? [line] : breakLines(line, width)))
    .join('\n');
}

function breakLines(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
