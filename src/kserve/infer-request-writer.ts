import { type InferParameters, parameterOf, writeParameter } from './infer-parameters.ts';
import { WireRequest } from './infer-request-codec.ts';
import { writeTensor } from './infer-tensors.ts';
import type { TensorMetadata } from './messages.ts';
import { ProtobufWriter } from './protobuf-writer.ts';
import type { InferRequest } from './server.ts';

/** An input. Without data, it is in shared memory, and its parameters contain the region. */
export interface InputPart extends TensorMetadata {
  readonly data: Buffer | undefined;
  readonly parameters?: InferParameters;
}

/** The parts of a ModelInferRequest. */
export interface RequestParts {
  readonly model: string;
  readonly version: string;
  readonly id: string;
  readonly parameters: InferParameters;
  readonly inputs: readonly InputPart[];
  readonly outputs: readonly { readonly name: string; readonly parameters?: InferParameters }[];
}

/** Builds the request from its parts. */
export function makeRequest(parts: RequestParts): WireRequest {
  return new WireRequest(writeRequest(parts));
}

/** The bytes of a ModelInferRequest, with raw tensor data. */
export function encodeInferRequest(request: InferRequest): Uint8Array {
  if (request.wire) return request.wire;
  const { model, version = '', id, parameters = {}, inputs, outputs = [], classes } = request;
  const asClasses: InferParameters = classes === undefined ? [] : [['classification', parameterOf(classes)]];
  return writeRequest({
    model,
    version,
    id,
    parameters: Object.entries(parameters).map(([name, value]) => [name, parameterOf(value)]),
    inputs,
    outputs: outputs.map((name) => ({ name, parameters: asClasses })),
  });
}

function writeRequest({ model, version, id, parameters, inputs, outputs }: RequestParts): Buffer {
  const writer = new ProtobufWriter().text(1, model);
  if (version !== '') writer.text(2, version);
  writer.text(3, id);
  for (const [name, parameter] of parameters) writeParameter(writer, 4, name, parameter);
  for (const input of inputs) writeTensor(writer, input, input.parameters);
  for (const output of outputs) {
    writer.begin(6).text(1, output.name);
    for (const [name, parameter] of output.parameters ?? []) writeParameter(writer, 2, name, parameter);
    writer.end();
  }
  for (const { data } of inputs) if (data) writer.bytes(7, data);
  return writer.finish();
}
