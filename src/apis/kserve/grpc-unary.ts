import {
  decodeControlRequest,
  encodeControlResponse,
  encodeHealth,
  isControlMethod,
} from '../../kserve/control-codec.ts';
import { WireRequest } from '../../kserve/infer-request-codec.ts';
import { encodeUnaryResponse } from '../../kserve/infer-response-codec.ts';
import { StatusError } from '../../kserve/status.ts';
import type { CallHandler, GrpcCall } from './grpc-call.ts';
import { inferOnce } from './infer-once.ts';
import type { KserveOptions } from './options.ts';
import { sharedMemoryRefused } from './shared-memory.ts';

/** Handles one unary call: the bytes of the request in, those of the response out. */
type UnaryMethod = (message: Buffer, call: GrpcCall) => Promise<Uint8Array>;

/** The handler of a unary method of either service; undefined for an unknown method. */
export function unaryMethod(path: string, options: KserveOptions): UnaryMethod | undefined {
  const { server, sharedMemory } = options;
  if (path === '/grpc.health.v1.Health/Check')
    return async (_message, { signal }) => {
      const isReady = await server.call('ServerReady', {}, { signal }).then(
        ({ ready }) => ready,
        () => false,
      );
      return encodeHealth(isReady);
    };
  const method = path.slice(servicePath.length);
  if (!path.startsWith(servicePath)) return undefined;
  if (method === 'ModelInfer')
    return async (message, { signal, metadata }) =>
      encodeUnaryResponse(await inferOnce(server, new WireRequest(message), { signal, metadata }));
  if (!isControlMethod(method)) return undefined;
  return async (message, { signal, metadata }) => {
    if (method.includes('SharedMemory') && !sharedMemory) throw sharedMemoryRefused();
    const request = decodeControlRequest(method, message);
    return encodeControlResponse(method, await server.call(method, request, { signal, metadata }));
  };
}

/** The path prefix of the inference service. */
export const servicePath = '/inference.GRPCInferenceService/';

/** Handles the single message of a unary call and ends the call with its result. */
export class UnaryHandler implements CallHandler {
  readonly #call: GrpcCall;
  readonly #method: UnaryMethod;
  readonly #onError: (error: unknown) => void;
  #isRunning = false;

  constructor(call: GrpcCall, method: UnaryMethod, onError: (error: unknown) => void) {
    this.#call = call;
    this.#method = method;
    this.#onError = onError;
  }

  onMessage(bytes: Buffer): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#method(bytes, this.#call).then(
      (response) => this.#call.end(response),
      (error: unknown) => {
        if (!(error instanceof StatusError)) this.#onError(error);
        this.#call.end(error instanceof StatusError ? error : unexpected());
      },
    );
  }

  onHalfClose(): void {
    if (!this.#isRunning) this.#call.end(new StatusError('INTERNAL', 'The call ended without a message.'));
  }

  onDrain(): void {
    // A running call still gets its response.
  }
}

/** The error that a client gets for a bug in Conch. */
export function unexpected(): StatusError {
  return new StatusError('INTERNAL', 'The server met an unexpected condition. The log has the details.');
}
