import { fromText, itemSchema, kindOf, placeholdersOf, type Setting } from './setting.ts';
import type { Origin } from './settings.ts';

/** A value from the file, an environment variable or a flag, before the schema has checked it. */
export interface SettingInput extends Origin {
  readonly name: string;
  /** The model that it applies to; undefined: all models. */
  readonly model?: string;
  readonly input: unknown;
  /** How an error line names the value at this path inside the input. */
  readonly label: (path: readonly PropertyKey[]) => string;
  /** The file that contains it; its paths are relative to that file. */
  readonly file?: string;
}

/** The values of one source, and the errors found while reading it. */
export interface SourceValues {
  readonly inputs: readonly SettingInput[];
  readonly problems: readonly string[];
}

/** A value of the file as the schema expects it: one item becomes a list, a quoted number a number. */
export function fromFileValue(setting: Setting, value: unknown): unknown {
  const { schema } = setting;
  if (kindOf(schema) !== 'list') return typeof value === 'string' ? fromText(schema, value) : value;
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return items.map((entry) => (typeof entry === 'string' ? itemFromText(setting, entry) : entry));
}

/** The texts of a list as the schema expects them; a flag with several arguments gives a list of lists. */
export function fromTexts(setting: Setting, texts: readonly (readonly string[])[]): unknown {
  return texts.map((values) => (values.length === 1 ? itemFromText(setting, values[0] ?? '') : values));
}

/** One text as an item of a list: it holds all arguments of a flag that takes several. */
function itemFromText(setting: Setting, text: string): unknown {
  const count = placeholdersOf(setting).length;
  return count === 1 ? fromText(itemSchema(setting.schema), text) : splitArguments(text, count);
}

/**
 * `model=value` in its parts. The text before the first = is a model, unless it contains a slash or a backslash:
 * `./a=b`, `C:\a=b` and `https://host/?a=b` are values.
 */
export function splitModel(written: string): { readonly model?: string; readonly value: string } {
  const match = /^([^=/\\]+)=(.*)$/s.exec(written);
  return match === null ? { value: written } : { model: match[1] ?? '', value: match[2] ?? '' };
}

/** One text with several arguments in its parts; the last one takes the rest, spaces and all. */
export function splitArguments(text: string, count: number): readonly string[] {
  const [first = '', rest = ''] = text.trim().split(/\s+(.*)/s);
  return count === 1 || rest === '' ? [text.trim()] : [first, ...splitArguments(rest, count - 1)];
}
