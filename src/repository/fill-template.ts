import type { Position } from './pbtxt/text-format-error.ts';

/** One `${name}` that got no value. */
export interface UnfilledPlaceholder extends Position {
  readonly name: string;
  /** TensorRT-LLM treats an unfilled value in quotes as not set; without quotes, the file is invalid. */
  readonly quoted: boolean;
}

export interface FilledTemplate {
  readonly text: string;
  readonly unfilled: readonly UnfilledPlaceholder[];
  /** Names with a value that the template does not have. */
  readonly unknown: readonly string[];
}

/** The default values of TensorRT-LLM's tool. */
const defaults: Readonly<Record<string, string>> = { max_queue_size: '0', max_queue_delay_microseconds: '0' };

const placeholder = /\$(?:\$|\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g;

/** Fills a template as TensorRT-LLM's tool does: `${name}` and `$name` get their value, `$$` becomes `$`. */
export function fillTemplate(template: string, values: ReadonlyMap<string, string>): FilledTemplate {
  const known = new Map([...Object.entries(defaults), ...values]);
  const seen = new Set<string>();
  const text = template.replace(placeholder, (written: string, braced?: string, bare?: string) => {
    if (written === '$$') return '$';
    const name = braced ?? bare ?? '';
    seen.add(name);
    return known.get(name) ?? written;
  });
  return { text, unfilled: findUnfilled(text), unknown: [...values.keys()].filter((name) => !seen.has(name)) };
}

/** Every `${name}` of a text, with its position. */
function findUnfilled(text: string): readonly UnfilledPlaceholder[] {
  return text.split('\n').flatMap((line, at) =>
    [...line.matchAll(/\$\{([A-Za-z_]\w*)\}/g)]
      .filter(({ index }) => !isComment(line.slice(0, index)))
      .map(({ index, 1: name = '' }) => ({
        name,
        line: at + 1,
        column: index + 1,
        quoted: isQuoted(line.slice(0, index)),
      })),
  );
}

const texts = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g;

function isComment(before: string): boolean {
  return /^[^"']*#/.test(before.replace(texts, ''));
}

function isQuoted(before: string): boolean {
  return /["']/.test(before.replace(texts, ''));
}

/**
 * Parses `name:value,name:value`. As in TensorRT-LLM's tool, a backslash escapes the next character, once for the commas
 * and once more for the colons. Unlike there, a second colon belongs to the value.
 */
export function parseSubstitutions(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const item of splitUnescaped(text, ',')) {
    if (item === '') continue;
    const [name = '', ...rest] = splitUnescaped(item, ':');
    if (rest.length === 0) throw new RangeError(`${JSON.stringify(item)} must have the format name:value.`);
    if (!/^[A-Za-z_]\w*$/.test(name))
      throw new RangeError(`${JSON.stringify(name)} is not a valid name: use letters, digits and _.`);
    values.set(name, rest.join(':'));
  }
  return values;
}

function splitUnescaped(text: string, separator: string): string[] {
  const parts = [''];
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === separator) parts.push('');
    // A backslash at the very end escapes nothing and is dropped.
    else parts.push(`${parts.pop()}${character === '\\' ? text.charAt(++at) : character}`);
  }
  return parts;
}
