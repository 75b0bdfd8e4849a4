import { parameterOf, writeParameter } from './infer-parameters.ts';
import { writeTensor } from './infer-tensors.ts';
import { ProtobufWriter } from './protobuf-writer.ts';
import type { InferResponse } from './server.ts';

type Encodable = Pick<InferResponse, 'model' | 'version' | 'id' | 'parameters' | 'outputs' | 'wire' | 'raw'>;

/** The bytes of a ModelInferResponse. Those of a remote server are passed on unchanged. */
export function encodeInferResponse(response: Encodable): Uint8Array {
  if (response.wire) return response.wire;
  const writer = new ProtobufWriter();
  writeHead(writer, response);
  for (const [key, value] of Object.entries(response.parameters)) writeParameter(writer, 4, key, parameterOf(value));
  for (const output of response.outputs) writeTensor(writer, output);
  for (const { name } of response.outputs) writer.bytes(6, response.raw(name) ?? empty);
  return writer.finish();
}

/** The bytes of a unary response, without the final flag, which belongs to streams. */
export function encodeUnaryResponse(response: InferResponse): Uint8Array {
  if (response.wire || response.parameters['triton_final_response'] === undefined) return encodeInferResponse(response);
  const { triton_final_response: _, ...parameters } = response.parameters;
  return encodeInferResponse({
    model: response.model,
    version: response.version,
    id: response.id,
    parameters,
    outputs: response.outputs,
    raw: (name) => response.raw(name),
  });
}

/** The bytes of a ModelStreamInferResponse with a response. */
export function encodeStreamResponse(response: InferResponse): Uint8Array {
  // First, because a writer uses the shared buffer until it is finished.
  const message = encodeInferResponse(response);
  return new ProtobufWriter().bytes(2, message).finish();
}

/** The request of a stream response; the version is the requested one. */
export interface RequestKey {
  readonly model: string;
  readonly version?: string;
  readonly id: string;
}

/** The bytes of a ModelStreamInferResponse for a request that was rejected before it started. */
export function encodeStreamRefusal(message: string, { id }: RequestKey): Uint8Array {
  return errorResponse(message, (writer) => {
    if (id !== '') writer.text(3, id);
  });
}

/** The bytes of a ModelStreamInferResponse for a running request that failed. */
export function encodeStreamFailure(message: string, key: RequestKey): Uint8Array {
  return errorResponse(message, (writer) => writeEnd(writer, key));
}

/** The bytes of a ModelStreamInferResponse without data that ends a request. */
export function encodeStreamEnd(key: RequestKey): Uint8Array {
  const writer = new ProtobufWriter().begin(2);
  writeEnd(writer, key);
  return writer.end().finish();
}

const empty = Buffer.alloc(0);

function errorResponse(message: string, writeResponse: (writer: ProtobufWriter) => void): Uint8Array {
  const writer = new ProtobufWriter().text(1, message).begin(2);
  writeResponse(writer);
  return writer.end().finish();
}

function writeHead(writer: ProtobufWriter, { model, version = '', id }: RequestKey): void {
  writer.text(1, model);
  if (version !== '') writer.text(2, version);
  if (id !== '') writer.text(3, id);
}

function writeEnd(writer: ProtobufWriter, key: RequestKey): void {
  writeHead(writer, key);
  writeParameter(writer, 4, 'triton_final_response', { kind: 'bool', value: true });
}
