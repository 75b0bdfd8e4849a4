import type { Command } from '../../config/command.ts';
import { settingsOf } from '../../config/help.ts';
import {
  choicesOf,
  flagsOf,
  kindOf,
  placeholdersOf,
  type Setting,
  type SettingTable,
  summaryOf,
} from '../../config/setting.ts';

/** What a shell offers as a value. */
export interface Offer {
  readonly kind: 'words' | 'files' | 'folders' | 'nothing';
  readonly words: readonly string[];
}

/** A flag, as a shell completes it. */
export interface OfferedFlag {
  /** Every way to write it. */
  readonly spellings: readonly string[];
  readonly summary: string;
  /** The placeholder of its value in help; undefined for a switch. */
  readonly placeholder?: string | undefined;
  readonly offer: Offer;
}

/** A command, as a shell completes it. */
export interface OfferedCommand {
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly OfferedFlag[];
  /** The argument of the command. */
  readonly argument: Offer;
}

const nothing: Offer = { kind: 'nothing', words: [] };

/** All commands with their flags and arguments, from the tables of the command line. */
export function offersOf(commands: readonly Command[]): readonly OfferedCommand[] {
  const names = commands.map(({ name }) => name.split(' ')[0] ?? '');
  return [
    ...commands.map(offeredCommand),
    {
      name: 'help',
      summary: 'Show the help of conch or of a command',
      flags: [],
      argument: { kind: 'words', words: [...new Set(names), 'all'] },
    },
  ];
}

/** The first words of commands that have two, with the second ones. */
export function groupsOf(commands: readonly OfferedCommand[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const { name } of commands) {
    const [first = '', second] = name.split(' ');
    if (second !== undefined) groups.set(first, [...(groups.get(first) ?? []), second]);
  }
  return groups;
}

/** The words that a command line may begin with. */
export function firstWords(commands: readonly OfferedCommand[]): readonly string[] {
  return [...new Set(commands.map(({ name }) => name.split(' ')[0] ?? ''))];
}

function offeredCommand({ name, summary, flags = {}, groups, arguments: words }: Command): OfferedCommand {
  const shared = [...new Set([...groups, 'general' as const])].map(settingsOf);
  // A flag of the command replaces a setting of the same name.
  const table: SettingTable = Object.assign({}, ...shared, flags);
  return {
    name,
    summary,
    flags: Object.entries(table).flatMap(([key, setting]) => offeredFlags(key, setting, key in flags)),
    argument: argumentOffer(words),
  };
}

function offeredFlags(name: string, setting: Setting, isOwn: boolean): OfferedFlag[] {
  const spellings = flagsOf(name, setting);
  if (spellings.length === 0) return [];
  // Without the special characters of shells.
  const summary = summaryOf(setting).replaceAll(/["`$\\[\]]/g, '');
  if (kindOf(setting.schema) !== 'boolean') {
    const [placeholder] = placeholdersOf(setting);
    return [{ spellings, summary, placeholder, offer: valueOffer(setting, placeholder) }];
  }
  const [long = ''] = spellings;
  const isOn = { spellings, summary, offer: nothing };
  const isOff = { spellings: [`--no-${long.slice(2)}`], summary: `Turn off ${long}`, offer: nothing };
  return canBeOn(setting, isOwn) ? [isOn, isOff] : [isOn];
}

/** Whether --no- has something to turn off: a default, or an environment variable. */
function canBeOn({ defaultText, schema, variable }: Setting, isOwn: boolean): boolean {
  if (!isOwn) return variable !== false;
  return defaultText !== undefined || schema.safeParse(undefined).data === true;
}

function valueOffer(setting: Setting, placeholder = ''): Offer {
  const words = choicesOf(setting);
  if (words.length > 0) return { kind: 'words', words };
  if (setting.path?.startsWith('folder') || placeholder.endsWith('DIR')) return { kind: 'folders', words };
  return setting.path !== undefined || /(FILE|\.json)$/.test(placeholder) ? { kind: 'files', words } : nothing;
}

/** `vllm|trtllm NAME` offers two words, `DIR…` folders. */
function argumentOffer(written = ''): Offer {
  const [first = ''] = written.split(' ');
  if (first.includes('|')) return { kind: 'words', words: first.split('|') };
  if (first.startsWith('DIR')) return { kind: 'folders', words: [] };
  return first.startsWith('FILE') ? { kind: 'files', words: [] } : nothing;
}

/** A word as bash and zsh take it. */
export function quoted(text: string): string {
  return /^[\w-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
