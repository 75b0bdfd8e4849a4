import protobuf from 'protobufjs/light.js';
import { field } from './cursor.ts';
import { type InferParameters, parameterOf, writeParameter } from './infer-parameters.ts';
import { WireRequest } from './infer-request-codec.ts';
import { writeTensor } from './infer-tensors.ts';
import type { TensorMetadata } from './messages.ts';
import type { InferRequest } from './server.ts';

/** An input; one without data is in shared memory, and its parameters say where. */
export interface InputPart extends TensorMetadata {
  readonly data: Buffer | undefined;
  readonly parameters?: InferParameters;
}

/** All that a ModelInferRequest can say. */
export interface RequestParts {
  readonly model: string;
  readonly version: string;
  readonly id: string;
  readonly parameters: InferParameters;
  readonly inputs: readonly InputPart[];
  readonly outputs: readonly { readonly name: string; readonly parameters?: InferParameters }[];
}

/** The request that its parts make. */
export function makeRequest(parts: RequestParts): WireRequest {
  return new WireRequest(writeRequest(parts) as Buffer);
}

/** The bytes of a ModelInferRequest, tensors in raw form. */
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

function writeRequest({ model, version, id, parameters, inputs, outputs }: RequestParts): Uint8Array {
  const writer = protobuf.Writer.create();
  writer.uint32(field(1)).string(model);
  if (version !== '') writer.uint32(field(2)).string(version);
  writer.uint32(field(3)).string(id);
  for (const [name, parameter] of parameters) writeParameter(writer, 4, name, parameter);
  for (const input of inputs) writeTensor(writer, input, input.parameters);
  for (const output of outputs) {
    writer.uint32(field(6)).fork().uint32(field(1)).string(output.name);
    for (const [name, parameter] of output.parameters ?? []) writeParameter(writer, 2, name, parameter);
    writer.ldelim();
  }
  for (const { data } of inputs) if (data) writer.uint32(field(7)).bytes(data);
  return writer.finish();
}
