import type protobuf from 'protobufjs/light.js';
import { describe, Lexer, type Token } from './lexer.ts';
import { type FieldShape, type MessageShape, shapeOf } from './message-shape.ts';
import { readScalar, type ScalarValue } from './read-scalar.ts';
import { suggest } from './suggest.ts';
import type { Position } from './text-format-error.ts';

/** A message for `fromObject` of protobufjs. */
export interface MessageValue {
  [field: string]: FieldValue;
}

export type FieldValue = ScalarValue | MessageValue | (ScalarValue | MessageValue)[];

export interface ReadResult {
  readonly message: MessageValue;
  /** The positions of fields by path: `max_batch_size`, `input[0].dims`, `parameters[model_path]`. */
  readonly positions: ReadonlyMap<string, Position>;
  readonly repeatedKeys: readonly RepeatedKey[];
}

/** An entry of a map that replaced an earlier one. */
export interface RepeatedKey extends Position {
  readonly path: string;
}

interface ReadOptions {
  readonly type: protobuf.Type;
  /** The name of the text in errors. */
  readonly file: string;
}

const deepest = 100;

/** Parses a message. Throws a TextFormatError for the first error. */
export function readTextFormat(text: string, { type, file }: ReadOptions): ReadResult {
  const reader = new Reader(new Lexer(text, file));
  const message = reader.readBody(shapeOf(type), { path: '', depth: 0 });
  return { message, positions: reader.positions, repeatedKeys: reader.repeatedKeys };
}

/** The location of the reader in the message. */
interface ReadContext {
  readonly path: string;
  readonly depth: number;
  /** The token that opened the message; undefined for the whole text. */
  readonly opening?: Token;
}

class Reader {
  positions = new Map<string, Position>();
  readonly repeatedKeys: RepeatedKey[] = [];
  readonly #lexer: Lexer;

  constructor(lexer: Lexer) {
    this.#lexer = lexer;
  }

  /** Reads fields up to the end of the text, or up to and including the sign that closes the message. */
  readBody(shape: MessageShape, context: ReadContext): MessageValue {
    const message: MessageValue = {};
    const choices = new Map<string, string>();
    for (;;) {
      const token = this.#lexer.take();
      if (this.#isEnd(token, context.opening)) return message;
      const field = this.#fieldNamed(token, shape);
      this.#checkTwice(field, { token, message, choices });
      this.#readField(field, { token, message, context });
      if (isSign(this.#lexer.peek(), ',') || isSign(this.#lexer.peek(), ';')) this.#lexer.take();
    }
  }

  #isEnd(token: Token, opening: Token | undefined): boolean {
    if (opening === undefined) return token.kind === 'end';
    const closing = opening.written === '{' ? '}' : '>';
    if (token.kind === 'end') {
      const { line, column } = opening;
      throw this.#lexer.problem(
        token,
        `expected ${closing} for the ${opening.written} of ${line}:${column}, but the file ends.`,
      );
    }
    return isSign(token, closing);
  }

  #fieldNamed(token: Token, { name, fields }: MessageShape): FieldShape {
    if (token.kind !== 'word') {
      const hint = token.written === '/' ? ' A comment begins with #.' : '';
      throw this.#lexer.problem(token, `expected a field of ${name}, but found ${describe(token)}.${hint}`);
    }
    const field = fields.get(token.written);
    if (field !== undefined) return field;
    const hint = suggest(token.written, fields.keys());
    throw this.#lexer.problem(token, `${token.written} is not a field of ${name}.${hint}`);
  }

  #checkTwice(
    { name, cardinality, choice }: FieldShape,
    { token, message, choices }: { token: Token; message: MessageValue; choices: Map<string, string> },
  ): void {
    if (cardinality === 'one' && Object.hasOwn(message, name)) {
      throw this.#lexer.problem(token, `${name} is set twice, but takes one value.`);
    }
    if (choice === undefined) return;
    const other = choices.get(choice) ?? name;
    if (other !== name)
      throw this.#lexer.problem(token, `${name} cannot be combined with ${other}: only one ${choice} may be set.`);
    choices.set(choice, name);
  }

  #readField(
    field: FieldShape,
    { token, message, context }: { token: Token; message: MessageValue; context: ReadContext },
  ): void {
    const path = context.path === '' ? field.name : `${context.path}.${field.name}`;
    this.#remember(path, token);
    this.#takeColon(field);
    const next = this.#lexer.peek();
    if (field.cardinality === 'one') {
      message[field.name] = this.#readValue(field, { ...context, path });
      return;
    }
    const isList = isSign(next, '[');
    if (field.cardinality === 'map') {
      const entries = entriesOf(message, field.name);
      const readEntry = () => this.#readEntry(field, { entries, context: { ...context, path } });
      if (isList) this.#readList(field, readEntry);
      else readEntry();
      return;
    }
    const list = listOf(message, field.name);
    const readItem = () => {
      const itemPath = `${path}[${list.length}]`;
      this.#remember(itemPath, this.#lexer.peek());
      list.push(this.#readValue(field, { ...context, path: itemPath }));
    };
    if (isList) this.#readList(field, readItem);
    else readItem();
  }

  /** Only a message may follow without a colon. */
  #takeColon({ name, value }: FieldShape): void {
    const token = this.#lexer.peek();
    if (isSign(token, ':')) this.#lexer.take();
    else if (value.kind !== 'message') {
      throw this.#lexer.problem(token, `expected : after ${name}, but found ${describe(token)}.`);
    }
  }

  #readList({ name }: FieldShape, readItem: () => void): void {
    const opening = this.#lexer.take();
    if (isSign(this.#lexer.peek(), ']')) {
      this.#lexer.take();
      return;
    }
    for (;;) {
      readItem();
      const token = this.#lexer.take();
      if (isSign(token, ']')) return;
      if (!isSign(token, ',')) {
        const where = `${opening.line}:${opening.column}`;
        throw this.#lexer.problem(
          token,
          `expected , or ] in the list ${name} of ${where}, but found ${describe(token)}.`,
        );
      }
      const next = this.#lexer.peek();
      if (isSign(next, ']'))
        throw this.#lexer.problem(token, `the list ${name} has a comma after its last item: remove it.`);
    }
  }

  #readValue(field: FieldShape, context: ReadContext): ScalarValue | MessageValue {
    if (field.value.kind !== 'message') return readScalar(this.#lexer, field.value, field.name);
    return this.readBody(field.value.shape(), this.#open(field, context));
  }

  #open({ name }: FieldShape, { path, depth }: ReadContext): ReadContext {
    const opening = this.#lexer.take();
    if (!isSign(opening, '{') && !isSign(opening, '<')) {
      throw this.#lexer.problem(opening, `expected { after ${name}, but found ${describe(opening)}.`);
    }
    if (depth >= deepest)
      throw this.#lexer.problem(opening, `messages are nested too deeply: the limit is ${deepest} levels.`);
    return { path, depth: depth + 1, opening };
  }

  /** A later entry of the same key replaces the earlier one, as in Triton. */
  #readEntry(field: FieldShape, { entries, context }: { entries: MessageValue; context: ReadContext }): void {
    if (field.value.kind !== 'message') return;
    const shape = field.value.shape();
    const { opening = this.#lexer.peek(), ...entryContext } = this.#open(field, context);
    // The path of an entry is known only when its key has been read.
    const outer = this.positions;
    this.positions = new Map();
    const entry = this.readBody(shape, { ...entryContext, opening, path: '' });
    const inner = this.positions;
    this.positions = outer;
    const { key: written = emptyValue(shape.fields.get('key')) } = entry;
    const key = typeof written === 'object' ? '' : String(written);
    // protobufjs keeps maps in plain objects, which cannot have this key.
    if (key === '__proto__') throw this.#lexer.problem(opening, `the key __proto__ of ${field.name} is not supported.`);
    const path = `${context.path}[${key}]`;
    if (Object.hasOwn(entries, key)) this.repeatedKeys.push({ path, line: opening.line, column: opening.column });
    outer.set(path, { line: opening.line, column: opening.column });
    for (const [name, position] of inner) if (name.startsWith('value')) outer.set(path + name.slice(5), position);
    entries[key] = entry['value'] ?? emptyValue(shape.fields.get('value'));
  }

  #remember(path: string, { line, column }: Position): void {
    if (!this.positions.has(path)) this.positions.set(path, { line, column });
  }
}

function isSign({ kind, written }: Token, sign: string): boolean {
  return kind === 'sign' && written === sign;
}

function listOf(message: MessageValue, name: string): (ScalarValue | MessageValue)[] {
  const present = message[name];
  if (Array.isArray(present)) return present;
  const list: (ScalarValue | MessageValue)[] = [];
  message[name] = list;
  return list;
}

function entriesOf(message: MessageValue, name: string): MessageValue {
  const present = message[name];
  if (isMessage(present)) return present;
  const entries: MessageValue = {};
  message[name] = entries;
  return entries;
}

function isMessage(value: FieldValue | undefined): value is MessageValue {
  return typeof value === 'object' && !Array.isArray(value) && !Buffer.isBuffer(value);
}

function emptyValue(field: FieldShape | undefined): ScalarValue | MessageValue {
  if (field === undefined || field.value.kind === 'message') return {};
  if (field.value.kind === 'enum') return 0;
  if (field.value.type === 'string') return '';
  if (field.value.type === 'bytes') return Buffer.alloc(0);
  return field.value.type === 'bool' ? false : 0;
}
