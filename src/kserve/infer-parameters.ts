import protobuf from 'protobufjs/light.js';
import type { ParameterValue } from './server.ts';

/** A parameter with the kind that it has on the wire. */
export type InferParameter =
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'int64' | 'uint64'; readonly value: number | bigint }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'double'; readonly value: number };

/** Reads one entry of a map of parameters into the plain form, in which kinds of numbers are not told apart. */
export function inferParameters(entry: Uint8Array, into: Record<string, ParameterValue>): void {
  const reader = protobuf.Reader.create(entry);
  let key = '';
  let value: ParameterValue = '';
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag >>> 3 === 1) key = reader.string();
    else if (tag >>> 3 === 2) value = readValue(reader.bytes());
    else reader.skipType(tag & 7);
  }
  into[key] = value;
}

/** Writes one entry of a map of parameters as a field of the message that is being written. */
export function writeParameter(writer: protobuf.Writer, field: number, key: string, parameter: InferParameter): void {
  writer.uint32((field << 3) | 2).fork();
  writer.uint32((1 << 3) | 2).string(key);
  writer.uint32((2 << 3) | 2).fork();
  switch (parameter.kind) {
    case 'bool':
      writer.uint32(1 << 3).bool(parameter.value);
      break;
    case 'int64':
      writer.uint32(2 << 3).int64(exact(parameter.value));
      break;
    case 'string':
      writer.uint32((3 << 3) | 2).string(parameter.value);
      break;
    case 'double':
      writer.uint32((4 << 3) | 1).double(parameter.value);
      break;
    case 'uint64':
      writer.uint32(5 << 3).uint64(exact(parameter.value));
      break;
  }
  writer.ldelim().ldelim();
}

/** A plain parameter with its kind: whole numbers travel as int64. */
export function parameterOf(value: ParameterValue): InferParameter {
  if (typeof value === 'boolean') return { kind: 'bool', value };
  if (typeof value === 'string') return { kind: 'string', value };
  return Number.isSafeInteger(value) ? { kind: 'int64', value } : { kind: 'double', value };
}

function readValue(bytes: Uint8Array): ParameterValue {
  const reader = protobuf.Reader.create(bytes);
  let value: ParameterValue = '';
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    switch (tag >>> 3) {
      case 1:
        value = reader.bool();
        break;
      case 2:
        value = Number(reader.int64());
        break;
      case 3:
        value = reader.string();
        break;
      case 4:
        value = reader.double();
        break;
      case 5:
        value = Number(reader.uint64());
        break;
      default:
        reader.skipType(tag & 7);
    }
  }
  return value;
}

/** protobufjs takes what a double cannot hold as a text. */
function exact(value: number | bigint): number | string {
  return typeof value === 'bigint' ? String(value) : value;
}
