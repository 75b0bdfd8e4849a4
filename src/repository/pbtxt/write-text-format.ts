import type protobuf from 'protobufjs/light.js';
import { type FieldShape, type MessageShape, shapeOf, type ValueShape } from './message-shape.ts';
import { quote, quoteBytes } from './string-literal.ts';

/** A message to write. Its fields are written in the order of the type. */
export type WritableMessage = Readonly<Record<string, unknown>>;

/** Writes a message as text: one field per line, lists in brackets. */
export function writeTextFormat(message: WritableMessage, type: protobuf.Type): string {
  return linesOf(message, shapeOf(type))
    .map((line) => `${line}\n`)
    .join('');
}

function linesOf(message: WritableMessage, { name, fields }: MessageShape): string[] {
  const stranger = Object.keys(message).find((key) => !fields.has(key));
  if (stranger !== undefined) throw new TypeError(`${stranger} is not a field of ${name}.`);
  return [...fields.values()].flatMap((field) => {
    const value = message[field.name];
    return value === undefined || value === null ? [] : fieldLines(field, value);
  });
}

function fieldLines(field: FieldShape, value: unknown): string[] {
  switch (field.cardinality) {
    case 'one':
      return itemLines(field, value);
    case 'map':
      return Object.entries(record(field, value)).flatMap(([key, entry]) =>
        itemLines(field, { key: keyOf(field, key), value: entry }),
      );
    case 'list':
      return listLines(field, value);
  }
}

function listLines(field: FieldShape, value: unknown): string[] {
  if (!Array.isArray(value)) throw mismatch(field, value);
  const { value: shape } = field;
  if (value.length === 0) return [];
  if (shape.kind !== 'message') {
    return [`${field.name}: [ ${value.map((item) => scalarText(field, shape, item)).join(', ')} ]`];
  }
  const items = value.flatMap((item, at) => {
    const lines = block('', linesOf(record(field, item), shape.shape()));
    return at === value.length - 1 ? lines : [...lines.slice(0, -1), `${lines.at(-1)},`];
  });
  return [`${field.name} [`, ...indent(items), ']'];
}

function itemLines(field: FieldShape, value: unknown): string[] {
  const { name, value: shape } = field;
  if (shape.kind !== 'message') return [`${name}: ${scalarText(field, shape, value)}`];
  return block(`${name} `, linesOf(record(field, value), shape.shape()));
}

/** A message with one short field is written on one line. */
function block(head: string, lines: readonly string[]): string[] {
  const [only = ''] = lines;
  if (lines.length === 0) return [`${head}{ }`];
  if (lines.length === 1 && head.length + only.length < 90) return [`${head}{ ${only} }`];
  return [`${head}{`, ...indent(lines), '}'];
}

function indent(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}

function scalarText(field: FieldShape, shape: Exclude<ValueShape, { kind: 'message' }>, value: unknown): string {
  if (shape.kind === 'enum') {
    if (typeof value === 'string' && Object.hasOwn(shape.numbers, value)) return value;
    if (Number.isInteger(value)) return String(value);
    throw mismatch(field, value);
  }
  const { type } = shape;
  if (type === 'string' && typeof value === 'string') return quote(Buffer.from(value).toString());
  if (type === 'bytes' && value instanceof Uint8Array) return quoteBytes(value);
  if (type === 'bool' && typeof value === 'boolean') return String(value);
  if ((type === 'float' || type === 'double') && typeof value === 'number') return floatText(type, value);
  if (/int|fixed/.test(type) && /^-?\d+$/.test(String(value))) return String(value);
  throw mismatch(field, value);
}

function floatText(type: string, value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (Object.is(value, -0)) return '-0.0';
  const shortest = [6, 7, 8, 9].find((digits) => Math.fround(Number(value.toPrecision(digits))) === Math.fround(value));
  const exact = type === 'float' && shortest !== undefined ? Number(value.toPrecision(shortest)) : value;
  const text = String(exact);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

function keyOf(field: FieldShape, key: string): unknown {
  const shape = field.value.kind === 'message' ? field.value.shape().fields.get('key')?.value : undefined;
  return shape?.kind === 'scalar' && shape.type === 'bool' ? key === 'true' : key;
}

function record(field: FieldShape, value: unknown): WritableMessage {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw mismatch(field, value);
  return value as WritableMessage;
}

function mismatch({ name }: FieldShape, value: unknown): TypeError {
  return new TypeError(`${name} cannot be ${JSON.stringify(value) ?? typeof value}.`);
}
