import type protobuf from 'protobufjs/light.js';
import { protocol } from './control-codec.ts';
import { unreadable } from './infer-request-codec.ts';
import type { ControlCalls, ControlMethod } from './messages.ts';

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

/** Whether a method of the service is a control call. */
export function isControlMethod(method: string): method is ControlMethod {
  return Object.hasOwn(controlMethods, method);
}

/** The request of a control call from its bytes. */
export function decodeControlRequest<Method extends ControlMethod>(
  method: Method,
  bytes: Uint8Array,
): ControlCalls[Method]['request'] {
  const type = protocol().lookupType(`inference.${method}Request`);
  return type.toObject(decode(type, bytes), { longs: Number, enums: String, bytes: Buffer, defaults: true });
}

/** The bytes of the response of a control call. */
export function encodeControlResponse<Method extends ControlMethod>(
  method: Method,
  response: ControlCalls[Method]['response'],
): Uint8Array {
  const type = protocol().lookupType(`inference.${method}Response`);
  return type.encode(type.fromObject(response)).finish();
}

/** The bytes of an answer of the health service. */
export function encodeHealth(isServing: boolean): Uint8Array {
  const type = protocol().lookupType('grpc.health.v1.HealthCheckResponse');
  return type.encode(type.fromObject({ status: isServing ? 'SERVING' : 'NOT_SERVING' })).finish();
}

function decode(type: protobuf.Type, bytes: Uint8Array): protobuf.Message {
  try {
    return type.decode(bytes);
  } catch {
    throw unreadable();
  }
}
