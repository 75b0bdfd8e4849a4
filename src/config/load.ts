import { readFileSync } from 'node:fs';
import { homedir, platform } from 'node:os';
import { type Command, defaultCommand } from './command.ts';
import { crossChecks, workerChecks } from './cross-checks.ts';
import { guarded } from './dump-settings.ts';
import { modelTable } from './model-settings.ts';
import { parseArguments } from './parse-arguments.ts';
import { resolvePath } from './paths.ts';
import { readFileSettings } from './read-file.ts';
import { readFlags } from './read-flags.ts';
import { readVariables } from './read-variables.ts';
import { type ResolvedSettings, resolve } from './resolve.ts';
import { hasAll, type SettingTable, type Values } from './setting.ts';
import type { SettingInput, SourceValues } from './setting-input.ts';
import { type Settings, settingTable } from './settings.ts';
import { SettingsError } from './settings-error.ts';

export interface LoadOptions {
  /** The words after `conch`. */
  readonly argv?: readonly string[];
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The first one runs when none is named. */
  readonly commands?: readonly [Command, ...Command[]];
  readonly readFile?: (path: string) => string;
  readonly stdoutIsTerminal?: boolean;
  readonly platform?: string;
  readonly homeDirectory?: string;
}

/** What the command line requests. Help reads no settings, so that they need not be valid. */
export type Invocation =
  /** The command may be the first word of several. Full help has all commands and flags. */
  | { readonly action: 'help'; readonly command: string | undefined; readonly isFull: boolean }
  | { readonly action: 'version' }
  | ({ readonly action: 'run' | 'check' } & CommandInput);

/** A command, the settings in effect, and the command's own flags and arguments. */
export interface CommandInput {
  readonly command: string;
  readonly settings: Settings;
  /** The values of the command's own flags; `ownFlags` gives them their types. */
  readonly own: Readonly<Record<string, unknown>>;
  /** Its own flags that the command line has, by their names in the table. */
  readonly flagNames: ReadonlySet<string>;
  readonly positionals: readonly string[];
  readonly rest: readonly string[];
}

/** Reads a command line with its configuration file and environment variables. Throws a SettingsError with all errors. */
export function readCommandLine(options: LoadOptions = {}): Invocation {
  const { argv = [], environment = {}, commands = [defaultCommand] } = options;
  const parsed = parseArguments({ argv, settings: settingTable, commands });
  const named = commands.find(({ name }) => name === parsed.command);
  if (parsed.help && parsed.problems.length === 0) {
    const command = parsed.group ?? (parsed.commandNamed ? parsed.command : undefined);
    return { action: 'help', command, isFull: parsed.isFull };
  }
  const ownTable = named?.flags ?? {};
  // A command's own flag may have the name of a setting, and is not that.
  const shared = parsed.settingsInput.filter(({ name }) => !(name in ownTable));
  const flags = readFlags(shared, settingTable);
  if (parsed.problems.length === 0 && flagIsOn(flags, 'version')) return { action: 'version' };

  const variables = readVariables(environment, settingTable);
  const file = readConfig([...variables.inputs, ...flags], options);
  const context = contextOf(options);
  const resolved = resolve([...file.inputs, ...variables.inputs, ...flags], {
    settings: settingTable,
    models: modelTable,
    context,
  });
  const own = resolve(readFlags(parsed.settingsInput, ownTable), { settings: ownTable, models: {}, context });
  const problems = [parsed, file, variables, resolved, own].flatMap((source) => source.problems);
  if (problems.length > 0) throw new SettingsError(problems);

  const settings = settingsFrom(resolved);
  // Other commands read the same file, and have no workers.
  const isServed = (named ?? commands[0]).groups.includes('api');
  const contradictions = [...crossChecks(settings), ...(isServed ? workerChecks(settings) : [])];
  if (contradictions.length > 0) throw new SettingsError(contradictions);
  const { command, positionals, rest } = parsed;
  const flagNames = new Set(parsed.settingsInput.map(({ name }) => name).filter((name) => name in ownTable));
  return { action: settings.check ? 'check' : 'run', command, settings, own: own.values, flagNames, positionals, rest };
}

/** The settings of a command line that runs or checks, for callers that need no command. */
export function loadSettings(options: LoadOptions = {}): Settings {
  const invocation = readCommandLine(options);
  if ('settings' in invocation) return invocation.settings;
  throw new SettingsError([`--${invocation.action} loads no settings. Remove it.`]);
}

/** The values of the command's own flags, with their types. */
export function ownFlags<T extends SettingTable>(
  { own }: Pick<CommandInput, 'own'>,
  { name, flags }: Command<T>,
): Values<T> {
  if (flags !== undefined && hasAll(flags, own)) return own;
  throw new Error(`These are not the flags of conch ${name}.`);
}

function flagIsOn(flags: readonly SettingInput[], name: string): boolean {
  return flags.some((flag) => flag.name === name && flag.input === true);
}

function readConfig(
  inputs: readonly SettingInput[],
  { readFile = readText, homeDirectory = homedir() }: LoadOptions,
): SourceValues {
  const config = inputs.findLast(({ name }) => name === 'config');
  if (config === undefined || typeof config.input !== 'string' || config.input === '')
    return { inputs: [], problems: [] };
  const file = resolvePath(config.input, { homeDirectory });
  let text: string;
  try {
    text = readFile(file);
  } catch (error) {
    return { inputs: [], problems: [`${config.where}: cannot read ${file}: ${reasonOf(error)}.`] };
  }
  return readFileSettings({ file, text, settings: settingTable, models: modelTable });
}

function readText(path: string): string {
  return readFileSync(path, 'utf8');
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'file not found. Check the path',
  EACCES: 'permission denied. Allow Conch to read it',
  EISDIR: 'it is a folder. Set a YAML or JSON file',
};

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return reasons[code] ?? (code === '' ? 'unknown reason' : code);
}

function contextOf({ environment = {}, stdoutIsTerminal = false, ...options }: LoadOptions) {
  return {
    environment,
    stdoutIsTerminal,
    platform: options.platform ?? platform(),
    homeDirectory: options.homeDirectory ?? homedir(),
  };
}

/** The checked values under their types. */
function settingsFrom({ values, models, origins }: ResolvedSettings): Settings {
  if (!hasAll(settingTable, values)) throw new Error('A setting has no value.');
  const triton = values.triton.map(({ host, port, tls = values.tritonTls, dns }) => ({ host, port, tls, dns }));
  return guarded({ ...values, triton, models, origins });
}
