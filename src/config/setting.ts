import { z } from 'zod';

/** The headings under which help and docs list the settings. */
export const groups = {
  servers: 'Triton servers',
  repository: 'Local model repository',
  embedded: 'Embedded engine',
  api: 'OpenAI API',
  limits: 'Request limits',
  keys: 'API keys',
  images: 'Images',
  kserve: 'KServe frontends',
  models: 'Models',
  logs: 'Logs, metrics and traces',
  general: 'General',
} as const;

export type Group = keyof typeof groups;

/** The groups in the order of help and docs. */
export const groupNames = Object.keys(groups) as Group[];

/** The facts of the process that a default may depend on. */
export interface ProcessContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly homeDirectory: string;
  readonly stdoutIsTerminal: boolean;
}

/** What a default may depend on. */
export interface DefaultContext extends ProcessContext {
  /** Whether the file, an environment variable or a flag sets this setting. */
  readonly isSet: (name: string) => boolean;
}

interface SettingOptions<T> {
  /** One letter: `t` gives `-t`. */
  readonly short?: string;
  /** Further long flags, without the dashes. */
  readonly aliases?: readonly string[];
  /** The environment variable, where it is not CONCH_ and the name of the setting; false: none. */
  readonly variable?: string | false;
  /** Environment variables of other programs that apply where ours is not set, the first one first. */
  readonly otherVariables?: readonly string[];
  /** False: no flag. */
  readonly flag?: false;
  /** False: not in the file. */
  readonly file?: false;
  /** The value is never printed. */
  readonly secret?: true;
  /** A change in the file takes effect while Conch runs. */
  readonly live?: true;
  /** `--x model=value` sets it for one model, and so does the key under `models:` in the file. */
  readonly perModel?: true;
  /**
   * The value, or each of a list, names a file, a folder, a folder that may also be a name on the Hugging Face hub, or
   * a file behind a name: `NAME=FILE`. Or it is a map, and each of it has a folder under `dir`.
   */
  readonly path?: 'file' | 'folder' | 'folder-or-name' | 'named-file' | 'folders-in-map';
  /** Listed in the short help of `conch --help`. */
  readonly isCommon?: true;
  /** How the value is called in help; several for a flag with several arguments. */
  readonly placeholder?: string | readonly string[];
  /** The default in words, where it is not one value. */
  readonly defaultText?: string;
  /** The default, where it depends on the context. */
  readonly derive?: (context: DefaultContext) => T;
}

/** One setting: what it may be, what it is for, and where it can be given. */
export interface Setting<S extends z.ZodType = z.ZodType> extends SettingOptions<z.output<S>> {
  readonly schema: S;
  readonly help: string;
  readonly group: Group;
}

export type SettingTable = Readonly<Record<string, Setting>>;

/** The values that a table of settings gives. */
export type Values<T extends SettingTable> = { readonly [K in keyof T]: z.output<T[K]['schema']> };

/** Whether there is a value, be it undefined, for every setting of a table. */
export function hasAll<T extends SettingTable>(table: T, values: object): values is Values<T> {
  return Object.keys(table).every((name) => Object.hasOwn(values, name));
}

/** One row of a table of settings, under `general` unless `inGroup` moves it. */
export function setting<S extends z.ZodType>(
  schema: S,
  help: string,
  options: SettingOptions<z.output<S>> = {},
): Setting<S> {
  return { ...options, schema, help, group: 'general' };
}

/** A table whose settings are all listed under one heading. */
export function inGroup<T extends SettingTable>(group: Group, table: T): T {
  return Object.fromEntries(Object.entries(table).map(([name, row]) => [name, { ...row, group }])) as T;
}

/** `defaultMaxTokens` as it is written in the file: `default_max_tokens`. */
export function fileKey(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** `defaultMaxTokens` as it is written on the command line: `--default-max-tokens`. */
export function longFlag(name: string): string {
  return `--${fileKey(name).replaceAll('_', '-')}`;
}

/** Every environment variable of a setting, in the order of precedence. */
export function variablesOf(name: string, { variable, otherVariables = [] }: Setting): readonly string[] {
  const own = variable ?? `CONCH_${fileKey(name).toUpperCase()}`;
  return own === false ? otherVariables : [own, ...otherVariables];
}

/** Every way to write the flag of a setting, the usual one first and the short one last. */
export function flagsOf(name: string, { flag, aliases = [], short }: Setting): readonly string[] {
  if (flag === false) return [];
  const long = [longFlag(name), ...aliases.map((alias) => `--${alias}`)];
  return short === undefined ? long : [...long, `-${short}`];
}

/** The first sentence of a help text without its period, up to a colon: for the short help and shell completions. */
export function summaryOf({ help }: Setting): string {
  return help.replace(/(?:[.:] |\.$).*/s, '');
}

/** How Conch reads the text of a flag or environment variable: a list takes several, a boolean flag none. */
type Kind = 'text' | 'number' | 'boolean' | 'list';

/** What kind of value a schema takes, seen through its default and its transformations. */
export function kindOf(schema: z.core.$ZodType): Kind {
  const inner = innermost(schema);
  if (inner instanceof z.ZodBoolean) return 'boolean';
  if (inner instanceof z.ZodNumber) return 'number';
  if (inner instanceof z.ZodArray) return 'list';
  return 'text';
}

/** The placeholders of a flag in help: those of the setting, else by its schema or its path. */
export function placeholdersOf({ schema, placeholder, path }: Setting): readonly string[] {
  if (placeholder !== undefined) return typeof placeholder === 'string' ? [placeholder] : placeholder;
  const inner = innermost(schema);
  const { placeholder: usual } = z.globalRegistry.get(inner) ?? {};
  if (typeof usual === 'string') return [usual];
  if (path === 'file' || path === 'folder') return [path === 'file' ? 'FILE' : 'DIR'];
  if (inner instanceof z.ZodEnum) return [inner.options.join('|')];
  return [kindOf(schema) === 'number' ? 'N' : 'TEXT'];
}

/** The values that a setting, or each of its list, may have; none where they cannot be listed. */
export function choicesOf({ schema }: Setting): readonly string[] {
  const inner = innermost(itemSchema(schema));
  return inner instanceof z.ZodEnum ? inner.options.map(String) : [];
}

/** The default of a setting in words, or undefined when it has none. */
export function defaultTextOf({ schema, defaultText }: Setting): string | undefined {
  if (defaultText !== undefined) return defaultText;
  if (!(schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault)) return undefined;
  const value: unknown = schema.def.defaultValue;
  if (value === false || (Array.isArray(value) && value.length === 0)) return undefined;
  return String(value);
}

/** A text from a flag or environment variable as the schema expects it; other text stays, for the schema to reject. */
export function fromText(schema: z.core.$ZodType, text: string): unknown {
  const kind = kindOf(schema);
  if (kind === 'boolean') return booleans.get(text.toLowerCase()) ?? text;
  return kind === 'number' && /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : text;
}

/** The schema of a list's items; any other schema is its own. */
export function itemSchema(schema: z.core.$ZodType): z.core.$ZodType {
  const inner = innermost(schema);
  return inner instanceof z.ZodArray ? inner.def.element : schema;
}

/** The numbers that a schema accepts, in words; undefined for any other schema. */
export function numberRangeOf(schema: z.core.$ZodType): string | undefined {
  const inner = innermost(schema);
  if (!(inner instanceof z.ZodNumber)) return undefined;
  const kind = inner.isInt ? 'a whole number' : 'a number';
  const [least, most] = [inner.minValue, inner.maxValue].map(Number);
  if (!isBound(least)) return isBound(most) ? `${kind} of at most ${most}` : kind;
  const isIncluded = inner.safeParse(least).success;
  if (isBound(most)) return isIncluded ? `${kind} from ${least} to ${most}` : `${kind} above ${least}, at most ${most}`;
  return isIncluded ? `${kind} of at least ${least}` : `${kind} above ${least}`;
}

function isBound(bound: number | undefined): boolean {
  return Number.isFinite(bound) && Math.abs(bound ?? 0) !== Number.MAX_SAFE_INTEGER;
}

/** The keys that a map of settings may have; none for any other schema. */
export function keysOf(schema: z.core.$ZodType): readonly string[] {
  const inner = innermost(schema);
  return inner instanceof z.ZodObject ? Object.keys(inner.def.shape) : [];
}

const booleans = new Map([
  ['true', true],
  ['yes', true],
  ['on', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['off', false],
  ['0', false],
]);

function innermost(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional) {
    return innermost(schema.def.innerType);
  }
  return schema instanceof z.ZodPipe ? innermost(schema.def.in) : schema;
}
