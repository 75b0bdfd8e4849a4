import { type Cursor, field } from './cursor.ts';
import type { ProtobufWriter } from './protobuf-writer.ts';
import type { ParameterValue } from './server.ts';

/** A parameter with its type on the wire. */
export type InferParameter =
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'int64' | 'uint64'; readonly value: number | bigint }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'double'; readonly value: number };

/** Parameters in their order, each with its type. */
export type InferParameters = readonly (readonly [name: string, parameter: InferParameter])[];

/** Reads one entry of a map of parameters as a plain value, without the type of numbers. */
export function readParameter(reader: Cursor, into: Record<string, ParameterValue>): void {
  let key = '';
  let value: ParameterValue = '';
  while (reader.at < reader.end) {
    const tag = reader.varint();
    if (tag === field(1)) key = reader.text();
    else if (tag === field(2)) value = readValue(reader.nested());
    else reader.skip(tag);
  }
  into[key] = value;
}

/** Writes one entry of a map of parameters as a field of the message that is being written. */
export function writeParameter(writer: ProtobufWriter, number: number, key: string, parameter: InferParameter): void {
  writer.begin(number).text(1, key).begin(2);
  switch (parameter.kind) {
    case 'bool':
      writer.bool(1, parameter.value);
      break;
    case 'int64':
      writer.integer(2, parameter.value);
      break;
    case 'string':
      writer.text(3, parameter.value);
      break;
    case 'double':
      writer.double(4, parameter.value);
      break;
    case 'uint64':
      writer.integer(5, parameter.value);
      break;
  }
  writer.end().end();
}

/** A plain parameter with its type: whole numbers are int64. */
export function parameterOf(value: ParameterValue): InferParameter {
  if (typeof value === 'boolean') return { kind: 'bool', value };
  if (typeof value === 'string') return { kind: 'string', value };
  return Number.isSafeInteger(value) ? { kind: 'int64', value } : { kind: 'double', value };
}

function readValue(reader: Cursor): ParameterValue {
  let value: ParameterValue = '';
  while (reader.at < reader.end) {
    const tag = reader.varint();
    if (tag === 1 << 3) value = reader.varint() !== 0;
    else if (tag === 2 << 3) value = reader.varint();
    else if (tag === field(3)) value = reader.text();
    else if (tag === ((4 << 3) | 1)) value = reader.double();
    else if (tag === 5 << 3) value = unsigned(reader.varint());
    else reader.skip(tag);
  }
  return value;
}

function unsigned(value: number): number {
  return value < 0 ? value + 2 ** 64 : value;
}
