import protobuf from 'protobufjs/light.js';

/** The fields of a message in the text format, where a map is a list of entries with a key and a value. */
export interface MessageShape {
  readonly name: string;
  readonly fields: ReadonlyMap<string, FieldShape>;
}

export interface FieldShape {
  readonly name: string;
  readonly value: ValueShape;
  readonly cardinality: 'one' | 'list' | 'map';
  /** The oneof that it is a member of. */
  readonly choice: string | undefined;
}

export type ValueShape =
  | { readonly kind: 'scalar'; readonly type: string }
  | { readonly kind: 'enum'; readonly name: string; readonly numbers: Readonly<Record<string, number>> }
  | { readonly kind: 'message'; readonly shape: () => MessageShape };

const known = new WeakMap<protobuf.Type, MessageShape>();

/** The shape of a message type, computed once. */
export function shapeOf(type: protobuf.Type): MessageShape {
  const made = known.get(type);
  if (made !== undefined) return made;
  const fields = new Map(type.fieldsArray.map((field) => [field.name, fieldShape(field.resolve())]));
  const shape = { name: type.name, fields };
  known.set(type, shape);
  return shape;
}

function fieldShape(field: protobuf.Field): FieldShape {
  const plain = { name: field.name, choice: field.partOf?.name };
  if (!(field instanceof protobuf.MapField)) {
    return { ...plain, value: valueShape(field), cardinality: field.repeated ? 'list' : 'one' };
  }
  const entry: MessageShape = {
    name: `the entry of ${field.name}`,
    fields: new Map([
      ['key', single('key', { kind: 'scalar', type: field.keyType })],
      ['value', single('value', valueShape(field))],
    ]),
  };
  return { ...plain, value: { kind: 'message', shape: () => entry }, cardinality: 'map' };
}

function single(name: string, value: ValueShape): FieldShape {
  return { name, value, cardinality: 'one', choice: undefined };
}

function valueShape({ type, resolvedType }: protobuf.Field): ValueShape {
  if (resolvedType instanceof protobuf.Type) return { kind: 'message', shape: () => shapeOf(resolvedType) };
  if (resolvedType instanceof protobuf.Enum) return { kind: 'enum', name: type, numbers: resolvedType.values };
  return { kind: 'scalar', type };
}
