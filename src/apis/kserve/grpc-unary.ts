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

/** Answers one message: its bytes in, the answer's bytes out. */
type Answering = (message: Buffer, call: GrpcCall) => Promise<Uint8Array>;

/** What answers the unary methods of both services; undefined for a method that does not exist. */
export function unaryMethod(path: string, options: KserveOptions): Answering | undefined {
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

/** The path of the inference service, in front of its methods. */
export const servicePath = '/inference.GRPCInferenceService/';

/** Takes the one message of a unary call and ends the call with what it comes to. */
export class UnaryHandler implements CallHandler {
  readonly #call: GrpcCall;
  readonly #answer: Answering;
  readonly #onFault: (error: unknown) => void;
  #isAnswering = false;

  constructor(call: GrpcCall, answer: Answering, onFault: (error: unknown) => void) {
    this.#call = call;
    this.#answer = answer;
    this.#onFault = onFault;
  }

  onMessage(bytes: Buffer): void {
    if (this.#isAnswering) return;
    this.#isAnswering = true;
    this.#answer(bytes, this.#call).then(
      (answer) => this.#call.end(answer),
      (error: unknown) => {
        if (!(error instanceof StatusError)) this.#onFault(error);
        this.#call.end(error instanceof StatusError ? error : unexpected());
      },
    );
  }

  onHalfClose(): void {
    if (!this.#isAnswering) this.#call.end(new StatusError('INTERNAL', 'The call ended without a message.'));
  }

  onDrain(): void {
    // An answer that is being made is still given.
  }
}

/** What a client hears of a fault in Conch itself. */
export function unexpected(): StatusError {
  return new StatusError('INTERNAL', 'The server met an unexpected condition. The log has the details.');
}
