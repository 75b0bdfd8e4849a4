import protobuf from 'protobufjs/light.js';
import { protocol } from './control-codec.ts';
import { binaryOf, Double } from './json-value.ts';
import type { Writable } from './json-write.ts';
import type { ModelConfig } from './messages.ts';

/** A model's configuration as JSON, as Triton writes it: every field in its order, defaults included. */
export function configToJson(config: ModelConfig): Writable {
  return messageToJson(protocol().lookupType('inference.ModelConfig'), config as unknown as Plain);
}

type Plain = Readonly<Record<string, unknown>>;

function messageToJson(type: protobuf.Type, message: Plain): Writable {
  const json: Record<string, Writable> = {};
  for (const field of type.fieldsArray) {
    const value = message[field.name];
    if (field instanceof protobuf.MapField) json[field.name] = mapToJson(field, (value ?? {}) as Plain);
    else if (field.repeated) json[field.name] = ((value ?? []) as unknown[]).map((element) => toJson(field, element));
    // Unset members of a oneof and unset nested messages are left out; plain values have their defaults.
    else if (value !== undefined && value !== null) json[field.name] = toJson(field, value);
    else if (!field.partOf && !(field.resolvedType instanceof protobuf.Type)) json[field.name] = defaultOf(field);
  }
  return json;
}

function mapToJson(field: protobuf.MapField, entries: Plain): Writable {
  return Object.fromEntries(Object.entries(entries).map(([key, value]) => [binaryOf(key), toJson(field, value)]));
}

function toJson(field: protobuf.FieldBase, value: unknown): Writable {
  const { resolvedType } = field;
  if (resolvedType instanceof protobuf.Type) return messageToJson(resolvedType, value as Plain);
  if (resolvedType instanceof protobuf.Enum && typeof value === 'number')
    return resolvedType.valuesById[value] ?? value;
  if (typeof value === 'string') return binaryOf(value);
  if (field.type === 'double' || field.type === 'float') return new Double(value as number);
  return value as Writable;
}

function defaultOf(field: protobuf.Field): Writable {
  if (field.resolvedType instanceof protobuf.Enum) return field.resolvedType.valuesById[0] ?? 0;
  if (field.type === 'string' || field.type === 'bytes') return '';
  return field.type === 'bool' ? false : 0;
}
