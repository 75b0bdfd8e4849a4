import protobuf from 'protobufjs/light.js';
import { descriptor } from './descriptor.ts';
import type { ControlCalls, ControlMethod } from './messages.ts';
import { StatusError } from './status.ts';

/** The gRPC path of a method of the inference service. */
export function methodPath(method: string): string {
  return `/inference.GRPCInferenceService/${method}`;
}

const readable: protobuf.IConversionOptions = { longs: Number, enums: String, defaults: true, bytes: Buffer };

let loaded: protobuf.Root | undefined;

/** The protocol's messages, as the files of proto/ describe them. */
export function protocol(): protobuf.Root {
  loaded ??= load();
  return loaded;
}

/** The bytes of a control request. */
export function encodeControl<Method extends ControlMethod>(
  method: Method,
  request: ControlCalls[Method]['request'],
): Uint8Array {
  const type = protocol().lookupType(`inference.${method}Request`);
  return type.encode(type.fromObject(request)).finish();
}

/** The response of a control call from its bytes. */
export function decodeControl<Method extends ControlMethod>(
  method: Method,
  bytes: Uint8Array,
): ControlCalls[Method]['response'] {
  const type = protocol().lookupType(`inference.${method}Response`);
  return type.toObject(decode(type, bytes), readable) as ControlCalls[Method]['response'];
}

function decode(type: protobuf.Type, bytes: Uint8Array): protobuf.Message {
  try {
    return type.decode(bytes);
  } catch (error) {
    throw new StatusError('INTERNAL', 'The server sent a message that does not follow the protocol.', { cause: error });
  }
}

function load(): protobuf.Root {
  const root = protobuf.Root.fromJSON(JSON.parse(descriptor));
  root.resolveAll();
  return root;
}
