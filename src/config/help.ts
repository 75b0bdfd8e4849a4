import { type Command, exitCodesOf } from './command.ts';
import {
  defaultTextOf,
  flagsOf,
  type Group,
  groups,
  kindOf,
  placeholdersOf,
  type Setting,
  type SettingTable,
  variablesOf,
} from './setting.ts';
import { settingTable } from './settings.ts';

interface HelpOptions {
  readonly commands: readonly [Command, ...Command[]];
  /** The command that help is wanted for, or the first word of several; left out: all of `conch`. */
  readonly command?: string | undefined;
  /** Columns of the terminal. */
  readonly width?: number;
  /** How headings are set off; left out: plainly. */
  readonly heading?: (text: string) => string;
}

/** The text of `conch --help`, or of `conch COMMAND --help`. */
export function helpText({ commands, command, width = 80, heading = (text) => text }: HelpOptions): string {
  const layout: Layout = { width: Math.max(width, 40), heading };
  const group = commands.filter(({ name }) => name.startsWith(`${command} `));
  if (command !== undefined && group.length > 0) return groupText(command, group, layout);
  const shown = commands.find(({ name }) => name === command) ?? commands[0];
  const usage = usageOf(shown, { withCommands: command === undefined });
  const sections = [
    command === undefined ? introduction : `${shown.summary}.`,
    `${heading('Usage:')} ${usage}`,
    ...(command === undefined ? [commandSection([...commands, helpRow], layout)] : []),
    ...(shown.flags === undefined
      ? []
      : [settingSection('Flags of this command', shown.flags, { ...layout, own: true })]),
    ...shown.groups.map((group) => settingSection(groups[group], settingsOf(group), layout)),
    ...(shown.groups.includes('general') ? [] : [settingSection(groups.general, settingsOf('general'), layout)]),
    notes,
    exitCodeSection(shown, layout),
    ...(shown.examples === undefined
      ? []
      : [`${heading('Examples:')}\n${shown.examples.map((line) => `  ${line}`).join('\n')}`]),
  ];
  return `${sections.map((section) => wrap(section, layout.width)).join('\n\n')}\n`;
}

const introduction = 'Conch: an OpenAI-compatible server for language models on NVIDIA Triton Inference Server.';

const notes =
  'Every flag that shows a variable can also be given by it, or in the file of --config under the same name with ' +
  'underscores: a flag is stronger than a variable, a variable stronger than the file. A flag with [MODEL=] holds for ' +
  'all models, or with MODEL= for one. A flag without a value has a --no- form. Durations are written 500ms, 2s, 5m ' +
  'or as seconds, sizes 64MiB or as bytes.';

interface Layout {
  readonly width: number;
  readonly heading: (text: string) => string;
}

/** The settings of one group. */
export function settingsOf(group: Group): SettingTable {
  return Object.fromEntries(Object.entries<Setting>(settingTable).filter(([, setting]) => setting.group === group));
}

function usageOf({ name, arguments: words, takesRest }: Command, { withCommands }: { withCommands: boolean }): string {
  const parts = ['conch', withCommands ? '[command]' : name, '[flags]', words, takesRest ? '[-- …]' : undefined];
  return parts.filter((part) => part !== undefined).join(' ');
}

/** The text of `conch repo --help`: the commands that begin with this word. */
function groupText(word: string, commands: readonly Command[], layout: Layout): string {
  const sections = [
    `${layout.heading('Usage:')} conch ${word} COMMAND [flags]`,
    commandSection(commands, layout),
    `conch ${word} COMMAND --help shows the flags of one.`,
  ];
  return `${sections.join('\n\n')}\n`;
}

const helpRow = { name: 'help', summary: 'Show this help, or that of a command' };

function commandSection(rows: readonly Pick<Command, 'name' | 'summary'>[], { heading, width }: Layout): string {
  const column = Math.max(...rows.map(({ name }) => name.length)) + 4;
  const lines = rows.map(({ name, summary }) => `  ${name}`.padEnd(column) + hang(`${summary}.`, { column, width }));
  return `${heading('Commands:')}\n${lines.join('\n')}`;
}

function exitCodeSection(command: Command, { heading, width }: Layout): string {
  const column = 7;
  const lines = exitCodesOf(command).map(
    ([code, meaning]) => `  ${code}`.padEnd(column) + hang(meaning, { column, width }),
  );
  return `${heading('Exit codes:')}\n${lines.join('\n')}`;
}

function settingSection(title: string, table: SettingTable, layout: Layout & { own?: boolean }): string {
  const column = 10;
  const entries = Object.entries(table).map(([name, setting]) => {
    const facts = factsOf(name, setting, { withVariable: layout.own !== true });
    const text = `${setting.help}${facts === '' ? '' : ` [${facts}]`}`;
    return `  ${flagLine(name, setting)}
${' '.repeat(column)}${hang(text, { column, width: layout.width })}`;
  });
  return `${layout.heading(`${title}:`)}\n${entries.join('\n')}`;
}

/** `-p, --port, --openai-port N`, or the variable of a setting that has no flag. */
function flagLine(name: string, setting: Setting): string {
  if (setting.flag === false) return `    ${variablesOf(name, setting).join(', ')}`;
  const flags = flagsOf(name, setting).toSorted(
    (left, right) => Number(left.startsWith('--')) - Number(right.startsWith('--')),
  );
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
