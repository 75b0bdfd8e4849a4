import protobuf from 'protobufjs';

interface FieldShape {
  number: number;
  /** A scalar's name, the full name of a message or enum, or `map<key, value>`. */
  type: string;
  repeated: boolean;
  oneof: string | null;
}

interface MethodShape {
  request: string;
  response: string;
  request_stream: boolean;
  response_stream: boolean;
}

/** All that a protocol declares, by full names: the shape that descriptors.py prints. */
export interface Declarations {
  messages: Record<string, Record<string, FieldShape>>;
  enums: Record<string, Record<string, number>>;
  services: Record<string, Record<string, MethodShape>>;
}

/** What the .proto files declare inside one package. */
export function declarationsOf(root: protobuf.Root, packageName: string): Declarations {
  const into: Declarations = { messages: {}, enums: {}, services: {} };
  collect(root.lookup(packageName) as protobuf.Namespace, into);
  return into;
}

function collect(namespace: protobuf.NamespaceBase, into: Declarations): void {
  for (const nested of namespace.nestedArray) {
    const name = nested.fullName.slice(1);
    if (nested instanceof protobuf.Type) into.messages[name] = fieldsOf(nested);
    else if (nested instanceof protobuf.Enum) into.enums[name] = { ...nested.values };
    else if (nested instanceof protobuf.Service) into.services[name] = methodsOf(nested);
    if (nested instanceof protobuf.Namespace) collect(nested, into);
  }
}

function fieldsOf(type: protobuf.Type): Record<string, FieldShape> {
  return Object.fromEntries(
    type.fieldsArray.map((field) => [
      field.name,
      {
        number: field.id,
        type: field instanceof protobuf.MapField ? `map<${field.keyType}, ${valueType(field)}>` : valueType(field),
        repeated: field.repeated,
        oneof: field.partOf?.name ?? null,
      },
    ]),
  );
}

function valueType(field: protobuf.FieldBase): string {
  return field.resolvedType?.fullName.slice(1) ?? field.type;
}

function methodsOf(service: protobuf.Service): Record<string, MethodShape> {
  return Object.fromEntries(
    service.methodsArray.map((method) => [
      method.name,
      {
        request: method.resolvedRequestType?.fullName.slice(1) ?? method.requestType,
        response: method.resolvedResponseType?.fullName.slice(1) ?? method.responseType,
        request_stream: method.requestStream ?? false,
        response_stream: method.responseStream ?? false,
      },
    ]),
  );
}
