"""Prints what the package tritonclient knows of the protocol, as JSON: {"messages", "enums", "services"}.

messages  full name -> {field name -> {"number", "type", "repeated", "oneof"}}; the type of a map is "map<key, value>"
enums     full name -> {value name -> number}
services  full name -> {method name -> {"request", "response", "request_stream", "response_stream"}}
"""

import json

from google.protobuf import descriptor_pb2
from tritonclient.grpc import model_config_pb2, service_pb2

Field = descriptor_pb2.FieldDescriptorProto
_NUMERIC_TYPES = {number: name[len("TYPE_") :].lower() for name, number in Field.Type.items()}


def type_of(field):
    return field.type_name.lstrip(".") or _NUMERIC_TYPES[field.type]


def shown_field(field, message, map_entries):
    entry = map_entries.get(field.type_name.rpartition(".")[2]) if field.type_name else None
    kind = f"map<{type_of(entry.field[0])}, {type_of(entry.field[1])}>" if entry else type_of(field)
    return {
        "number": field.number,
        "type": kind,
        "repeated": entry is None and field.label == Field.LABEL_REPEATED,
        "oneof": message.oneof_decl[field.oneof_index].name if field.HasField("oneof_index") else None,
    }


def collect_message(message, scope, into):
    name = f"{scope}.{message.name}"
    map_entries = {nested.name: nested for nested in message.nested_type if nested.options.map_entry}
    into["messages"][name] = {field.name: shown_field(field, message, map_entries) for field in message.field}
    for nested in message.nested_type:
        if nested.name not in map_entries:
            collect_message(nested, name, into)
    for enum in message.enum_type:
        collect_enum(enum, name, into)


def collect_enum(enum, scope, into):
    into["enums"][f"{scope}.{enum.name}"] = {value.name: value.number for value in enum.value}


def collect_service(service, scope, into):
    into["services"][f"{scope}.{service.name}"] = {
        method.name: {
            "request": method.input_type.lstrip("."),
            "response": method.output_type.lstrip("."),
            "request_stream": method.client_streaming,
            "response_stream": method.server_streaming,
        }
        for method in service.method
    }


def main():
    known = {"messages": {}, "enums": {}, "services": {}}
    for module in (service_pb2, model_config_pb2):
        file = descriptor_pb2.FileDescriptorProto()
        module.DESCRIPTOR.CopyToProto(file)
        for message in file.message_type:
            collect_message(message, file.package, known)
        for enum in file.enum_type:
            collect_enum(enum, file.package, known)
        for service in file.service:
            collect_service(service, file.package, known)
    print(json.dumps(known))


main()
