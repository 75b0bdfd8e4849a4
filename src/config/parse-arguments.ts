import type { Command } from './command.ts';
import { didYouMean } from './nearest.ts';
import { counterpartOf } from './other-flags.ts';
import { flagsOf, kindOf, placeholdersOf, type Setting, type SettingTable } from './setting.ts';
import { splitArguments } from './setting-input.ts';

/** One flag of the command line. */
export interface ParsedFlag {
  readonly name: string;
  /** As it was written: `-p`, `--openai-port`. */
  readonly flag: string;
  /** Its arguments; a boolean has `true` or `false`. */
  readonly values: readonly string[];
}

/** The parsed command line, not yet checked against the schema. */
export interface ParsedArguments {
  readonly command: string;
  /** Whether the command line names the command; false: it is the default command. */
  readonly commandNamed: boolean;
  /** The command line requests help, so only the command matters. */
  readonly help: boolean;
  /** The command line requests the help of all commands and flags. */
  readonly isFull: boolean;
  /** The first word of several commands, when the command line requests help and has no second word. */
  readonly group?: string | undefined;
  readonly settingsInput: readonly ParsedFlag[];
  readonly positionals: readonly string[];
  /** The words after `--`. */
  readonly rest: readonly string[];
  readonly problems: readonly string[];
}

interface ParseOptions {
  readonly argv: readonly string[];
  readonly settings: SettingTable;
  /** The first one runs when none is named. */
  readonly commands: readonly [Command, ...Command[]];
}

/** Parses a command line. Errors are collected, not thrown, so that Conch reports all of them at once. */
export function parseArguments(options: ParseOptions): ParsedArguments {
  return new ArgumentParser(options).parse();
}

interface Flag {
  readonly name: string;
  readonly setting?: Setting;
  /** Arguments that it takes. */
  readonly count: number;
  readonly placeholder: string;
  readonly negates?: boolean;
}

class ArgumentParser {
  readonly #options: ParseOptions;
  readonly #flags: Map<string, Flag>;
  readonly #queue: string[];
  #command: Command | undefined;
  #help = false;
  #isFull = false;
  #group: string | undefined;
  readonly #parsedFlags: ParsedFlag[] = [];
  readonly #positionals: string[] = [];
  #rest: readonly string[] = [];
  readonly #commandProblems: string[] = [];
  readonly #problems: string[] = [];

  constructor(options: ParseOptions) {
    this.#options = options;
    this.#queue = [...options.argv];
    this.#flags = flagsOfTable(options.settings);
  }

  parse(): ParsedArguments {
    for (let word = this.#queue.shift(); word !== undefined; word = this.#queue.shift()) {
      if (word === '--') {
        this.#rest = this.#queue.splice(0);
      } else if (word.startsWith('-') && word !== '-') this.#takeFlag(word);
      else this.#takeWord(word);
    }
    const command = this.#command ?? this.#options.commands[0];
    this.#checkAgainst(command);
    return {
      command: command.name,
      commandNamed: this.#command !== undefined,
      help: this.#help,
      isFull: this.#isFull,
      group: this.#group,
      settingsInput: this.#parsedFlags,
      positionals: this.#positionals,
      rest: this.#rest,
      problems: this.#help ? this.#commandProblems : [...this.#commandProblems, ...this.#problems],
    };
  }

  #takeWord(word: string): void {
    if (this.#command !== undefined) {
      this.#positionals.push(word);
      return;
    }
    if (word === 'help') {
      this.#help = true;
      return;
    }
    if (this.#help && word === 'all') {
      this.#isFull = true;
      return;
    }
    const command = this.#findCommand(word);
    if (command !== undefined) {
      this.#command = command;
      for (const [flag, meaning] of flagsOfTable(command.flags ?? {})) this.#flags.set(flag, meaning);
      return;
    }
    const names = new Set(this.#options.commands.map(({ name }) => name));
    const group = this.#options.commands.filter(({ name }) => name.startsWith(`${word} `));
    if (group.length > 0) this.#takeGroup(word, group);
    else if (this.#options.commands[0].arguments === undefined) {
      const meant = word === 'version' ? ' Did you mean --version?' : didYouMean(word, [...names, 'help']);
      this.#commandProblems.push(
        `${quote(word)} is not a command.${meant === '' ? ' Run conch --help for the commands.' : meant}`,
      );
    } else this.#positionals.push(word);
  }

  /** One word where a command has two: what follows cannot be read without the second one. */
  #takeGroup(word: string, group: readonly Command[]): void {
    this.#help ||= this.#queue.some((next) => ['--help', '-h', '--help-all'].includes(next));
    this.#queue.length = 0;
    if (this.#help) {
      this.#group = word;
      return;
    }
    const lines = group.map(({ name, summary }) => `\n  conch ${name}  ${summary}`);
    this.#commandProblems.push(`conch ${word} needs a second word. Use one of:${lines.join('')}`);
  }

  #findCommand(word: string): Command | undefined {
    const { commands } = this.#options;
    const next = this.#queue[0];
    const twoWords = next === undefined ? undefined : commands.find(({ name }) => name === `${word} ${next}`);
    if (twoWords !== undefined) this.#queue.shift();
    return twoWords ?? commands.find(({ name }) => name === word);
  }

  #takeFlag(word: string): void {
    const { written, attached } = this.#split(word);
    const flag = this.#flags.get(written);
    if (flag === undefined) {
      this.#problems.push(this.#unknown(written));
      // What follows is most likely its argument, and may be a secret.
      if (attached === undefined && this.#nextIsValue() && !this.#isCommand(this.#queue[0])) this.#queue.shift();
      return;
    }
    if (flag.setting !== undefined && kindOf(flag.setting.schema) === 'boolean') {
      this.#takeBoolean(flag, written, attached);
      return;
    }
    const values = this.#takeValues(flag, attached);
    if (values.length === flag.count) this.#parsedFlags.push({ name: flag.name, flag: written, values });
    else
      this.#problems.push(
        `${written} needs ${flag.count > 1 ? `${flag.count} values` : 'a value'}. Write ${written} ${flag.placeholder}.`,
      );
  }

  #takeBoolean({ name, negates }: Flag, written: string, attached: string | undefined): void {
    if ((name === 'help' || name === 'helpAll') && !negates && attached !== 'false') {
      this.#help = true;
      this.#isFull ||= name === 'helpAll';
    }
    if (negates && attached !== undefined) this.#problems.push(`${written} takes no value. Write only ${written}.`);
    else this.#parsedFlags.push({ name, flag: written, values: [attached ?? String(!negates)] });
  }

  /** `--port=1` and `-p1` include their value. */
  #split(word: string): { written: string; attached: string | undefined } {
    const equals = word.indexOf('=');
    if (word.startsWith('--')) {
      return equals < 0
        ? { written: word, attached: undefined }
        : { written: word.slice(0, equals), attached: word.slice(equals + 1) };
    }
    // -port is --port with a dash too few rather than -p with the value `ort`.
    const bare = equals < 0 ? word : word.slice(0, equals);
    if (this.#flags.has(`-${bare}`))
      return { written: bare, attached: equals < 0 ? undefined : word.slice(equals + 1) };
    const short = word.slice(0, 2);
    const takesValue = (this.#flags.get(short)?.count ?? 0) > 0;
    if (word.length > 2 && takesValue) return { written: short, attached: word.slice(word[2] === '=' ? 3 : 2) };
    return { written: bare, attached: undefined };
  }

  #takeValues({ count }: Flag, attached: string | undefined): readonly string[] {
    if (count === 0) return [];
    const values: string[] = attached === undefined ? [] : [attached];
    if (attached === undefined && this.#nextIsValue()) values.push(this.#queue.shift() ?? '');
    // Several arguments may also come as one quoted text.
    const quoted = count > 1 ? splitArguments(values[0] ?? '', count) : [];
    if (quoted.length === count) return quoted;
    while (values.length > 0 && values.length < count && this.#nextIsValue()) values.push(this.#queue.shift() ?? '');
    return values;
  }

  #nextIsValue(): boolean {
    const next = this.#queue[0];
    return next !== undefined && !next.startsWith('--') && !this.#flags.has(next);
  }

  #isCommand(word: string | undefined): boolean {
    return this.#options.commands.some(({ name }) => name.split(' ')[0] === word);
  }

  #unknown(written: string): string {
    const isServing = this.#command === undefined || this.#command === this.#options.commands[0];
    const counterpart = isServing ? counterpartOf(written.replaceAll('_', '-')) : undefined;
    if (counterpart !== undefined) return `${written} is not a flag. ${counterpart}`;
    const owners = this.#options.commands.filter(({ flags = {} }) => flagsOfTable(flags).has(written));
    const names = owners.map(({ name }) => `conch ${name}`);
    const listed = [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((part) => part !== '').join(' and ');
    if (names.length > 0 && this.#command === undefined)
      return `${written} is a flag of ${listed}. Write it after the command.`;
    if (names.length > 0) return `${written} is a flag of ${listed}, not of conch ${this.#command?.name}. Remove it.`;
    const dashes = /^-\w/.test(written) && written.length > 2 ? `-${written}` : written;
    const meant = didYouMean(dashes, this.#flagsOfCommand());
    const help = this.#command === undefined ? 'conch help all' : `conch ${this.#command.name} --help`;
    return `${written} is not a flag.${meant === '' ? ` Run ${help} for the flags.` : meant}`;
  }

  /** The flags that the command supports; all flags while no command is named. */
  #flagsOfCommand(): string[] {
    const command = this.#command;
    const isSupported = ({ name, setting }: Flag): boolean =>
      command === undefined ||
      command.flags?.[name] !== undefined ||
      setting?.group === 'general' ||
      command.groups.some((group) => group === setting?.group);
    return [...this.#flags].flatMap(([written, flag]) => (isSupported(flag) ? [written] : []));
  }

  #checkAgainst(command: Command): void {
    if (this.#help) return;
    const { name, arguments: takesArguments, takesRest = false, groups } = command;
    for (const { name: settingName, flag } of this.#parsedFlags) {
      const own = command.flags?.[settingName] !== undefined;
      const setting = this.#options.settings[settingName];
      if (!own && setting !== undefined && setting.group !== 'general' && !groups.includes(setting.group)) {
        this.#problems.push(`${flag} has no effect on conch ${name}. Remove it.`);
      }
    }
    if (takesArguments === undefined) {
      const instead = command.insteadOfArguments === undefined ? '' : ` ${command.insteadOfArguments}`;
      for (const word of this.#positionals)
        this.#problems.push(`conch ${name} takes no argument ${quote(word)}.${instead}`);
    }
    if (!takesRest && this.#rest.length > 0)
      this.#problems.push(`conch ${name} takes no arguments after --. Remove them.`);
  }
}

function flagsOfTable(table: SettingTable): Map<string, Flag> {
  const flags = new Map<string, Flag>();
  for (const [name, setting] of Object.entries(table)) {
    const placeholders = placeholdersOf(setting);
    const boolean = kindOf(setting.schema) === 'boolean';
    const flag = { name, setting, count: boolean ? 0 : placeholders.length, placeholder: placeholders.join(' ') };
    for (const written of flagsOf(name, setting)) {
      flags.set(written, flag);
      if (boolean && written.startsWith('--')) flags.set(`--no-${written.slice(2)}`, { ...flag, negates: true });
    }
  }
  return flags;
}

function quote(word: string): string {
  return JSON.stringify(word);
}
