import protobuf from 'protobufjs/light.js';
import { descriptor } from './descriptor.ts';
import { unreadable } from './infer-request-codec.ts';
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

/** Every control call, by its name on the wire. */
const controlMethods: Readonly<Record<ControlMethod, true>> = {
  ServerLive: true,
  ServerReady: true,
  ModelReady: true,
  ServerMetadata: true,
  ModelMetadata: true,
  ModelConfig: true,
  ModelStatistics: true,
  RepositoryIndex: true,
  RepositoryModelLoad: true,
  RepositoryModelUnload: true,
  SystemSharedMemoryStatus: true,
  SystemSharedMemoryRegister: true,
  SystemSharedMemoryUnregister: true,
  CudaSharedMemoryStatus: true,
  CudaSharedMemoryRegister: true,
  CudaSharedMemoryUnregister: true,
  TraceSetting: true,
  LogSettings: true,
};

/** The bytes of a control request. */
export function encodeControl<Method extends ControlMethod>(
  method: Method,
  request: ControlCalls[Method]['request'],
): Uint8Array {
  return encode(`inference.${method}Request`, request);
}

/** The response of a control call from its bytes. */
export function decodeControl<Method extends ControlMethod>(
  method: Method,
  bytes: Uint8Array,
): ControlCalls[Method]['response'] {
  try {
    return decode(`inference.${method}Response`, bytes) as ControlCalls[Method]['response'];
  } catch (error) {
    throw new StatusError('INTERNAL', 'The server sent an invalid protobuf message.', { cause: error });
  }
}

/** Whether a method of the service is a control call. */
export function isControlMethod(method: string): method is ControlMethod {
  return Object.hasOwn(controlMethods, method);
}

/** The request of a control call from its bytes. */
export function decodeControlRequest<Method extends ControlMethod>(
  method: Method,
  bytes: Uint8Array,
): ControlCalls[Method]['request'] {
  try {
    return decode(`inference.${method}Request`, bytes);
  } catch {
    throw unreadable();
  }
}

/** The bytes of the response of a control call. */
export function encodeControlResponse<Method extends ControlMethod>(
  method: Method,
  response: ControlCalls[Method]['response'],
): Uint8Array {
  return encode(`inference.${method}Response`, response);
}

/** The bytes of a response of the health service. */
export function encodeHealth(isServing: boolean): Uint8Array {
  return encode('grpc.health.v1.HealthCheckResponse', { status: isServing ? 'SERVING' : 'NOT_SERVING' });
}

function encode(name: string, message: object): Uint8Array {
  const type = protocol().lookupType(name);
  return type.encode(type.fromObject(message)).finish();
}

function decode(name: string, bytes: Uint8Array): object {
  const type = protocol().lookupType(name);
  return type.toObject(type.decode(bytes), readable);
}

function load(): protobuf.Root {
  const root = protobuf.Root.fromJSON(JSON.parse(descriptor));
  root.resolveAll();
  return root;
}
