import { type Document, isNode, LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { plainWords, problemsOf, syntaxProblems } from '../config/problem.ts';
import type { StoredKey } from './key-ring.ts';
import { digestIn } from './secrets.ts';

const count = z.number().int().min(1);
const isoDate = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;

/** Whether the date exists: JavaScript takes 30 February for 2 March. */
function isDay(written: string): boolean {
  const day = new Date(`${written}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(written);
}

const name = z
  .string()
  .regex(/^[\w.@:+-]{1,64}$/, 'must be 1 to 64 letters, digits and . @ : + - _')
  .refine(
    (text) => !/^api-key-\d+$/.test(text),
    'must not be api-key-N: Conch gives these names to the keys of --api-key',
  );

/** One key of the file. */
export const KeyEntry = z.strictObject({
  name,
  hash: z
    .string()
    .refine((text) => digestIn(text), 'must be sha256: and 64 hexadecimal digits, as conch keys create writes it'),
  models: z.array(z.string().min(1).max(256)).min(1).optional(),
  requests_per_minute: count.optional(),
  tokens_per_minute: count.optional(),
  concurrent: count.optional(),
  expires: z
    .string()
    .refine(
      (text) => isoDate.test(text) && isDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text)),
      'must be a date such as 2027-01-31 or 2027-01-31T12:00:00Z',
    )
    .optional(),
  priority: z.boolean().optional(),
  manage: z.boolean().optional(),
});

export type KeyEntry = z.output<typeof KeyEntry>;

const KeyFile = z.strictObject({ keys: z.array(KeyEntry).nullish() }).nullable();

/** The errors of a key file, one line each. No line repeats a value. */
export class KeyFileError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'KeyFileError';
    this.problems = problems;
  }
}

/** Reads and checks a key file, YAML or JSON. Throws a KeyFileError. */
export function readKeyFile(file: string, text: string): { readonly document: Document; readonly keys: KeyEntry[] } {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const positionOf = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  if (document.errors.length > 0) throw new KeyFileError(syntaxProblems(document.errors, positionOf));
  const content = contentOf(document, file);
  const label = (path: readonly PropertyKey[]): string => `${positionOf(offsetOf(document, path))}: ${pathName(path)}`;
  const read = KeyFile.safeParse(content, { error: plainWords });
  if (!read.success) {
    const found = problemsOf(read.error, { schema: KeyEntry, input: content, secret: true });
    throw new KeyFileError(
      found.map(({ path, text: words }) => `${label(path)} ${path.length === 1 ? fileText(words) : words}`),
    );
  }
  const keys = read.data?.keys ?? [];
  const twice = [...repeated(keys, 'name'), ...repeated(keys, 'hash')];
  if (twice.length > 0)
    throw new KeyFileError(twice.map((path) => `${label(path)} is used twice. Each key needs its own name and hash.`));
  return { document, keys };
}

/** The keys of a file, as Conch stores them. */
export function storedKeys(keys: readonly KeyEntry[]): StoredKey[] {
  return keys.map((key) => ({
    digest: digestIn(key.hash) as Buffer,
    holder: {
      id: `key:${key.name}`,
      name: key.name,
      models: key.models,
      requestsPerMinute: key.requests_per_minute,
      tokensPerMinute: key.tokens_per_minute,
      concurrent: key.concurrent,
      expires: key.expires === undefined ? undefined : Date.parse(key.expires),
      mayPrioritize: key.priority,
      mayManage: key.manage,
    },
  }));
}

function contentOf(document: Document, file: string): unknown {
  try {
    return document.toJS() as unknown;
  } catch {
    // The parser rejects aliases that would expand to something huge, or that have no anchor.
    throw new KeyFileError([`${file}: YAML aliases (*name) are not supported. Write the values out.`]);
  }
}

function* repeated(keys: readonly KeyEntry[], field: 'name' | 'hash'): Generator<PropertyKey[]> {
  const seen = new Set<string>();
  for (const [index, key] of keys.entries()) {
    const value = key[field].toLowerCase();
    if (seen.has(value)) yield ['keys', index, field];
    seen.add(value);
  }
}

/** The text of a problem with a key of the file itself, which is not one of an entry. */
function fileText(words: string): string {
  return words.startsWith('is not a key.') ? 'is not a key. Write keys instead.' : words;
}

/** `keys[2].hash`. */
function pathName(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'the file';
  return path.map((part, at) => (typeof part === 'number' ? `[${part}]` : (at > 0 ? '.' : '') + String(part))).join('');
}

function offsetOf(document: Document, path: readonly PropertyKey[]): number {
  for (let length = path.length; length >= 0; length--) {
    const node: unknown = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}
