import protobuf from 'protobufjs/light.js';
import { type InferParameter, writeParameter } from './infer-parameters.ts';
import { WireRequest } from './infer-request-codec.ts';

/** Parameters in their order, each with its kind. */
export type InferParameters = readonly (readonly [name: string, parameter: InferParameter])[];

/** An input; one without data is in shared memory, and its parameters say where. */
export interface InputPart {
  readonly name: string;
  readonly datatype: string;
  readonly shape: readonly number[];
  readonly data: Buffer | undefined;
  readonly parameters: InferParameters;
}

/** All that a ModelInferRequest can say. */
export interface RequestParts {
  readonly model: string;
  readonly version: string;
  readonly id: string;
  readonly parameters: InferParameters;
  readonly inputs: readonly InputPart[];
  readonly outputs: readonly { readonly name: string; readonly parameters: InferParameters }[];
}

/** The request that its parts make. */
export function makeRequest({ model, version, id, parameters, inputs, outputs }: RequestParts): WireRequest {
  const writer = protobuf.Writer.create();
  writer.uint32(field(1)).string(model).uint32(field(2)).string(version).uint32(field(3)).string(id);
  for (const [name, parameter] of parameters) writeParameter(writer, 4, name, parameter);
  for (const input of inputs) {
    writer.uint32(field(5)).fork();
    writer.uint32(field(1)).string(input.name).uint32(field(2)).string(input.datatype);
    writer.uint32(field(3)).fork();
    for (const dimension of input.shape) writer.int64(dimension);
    writer.ldelim();
    for (const [name, parameter] of input.parameters) writeParameter(writer, 4, name, parameter);
    writer.ldelim();
  }
  for (const output of outputs) {
    writer.uint32(field(6)).fork().uint32(field(1)).string(output.name);
    for (const [name, parameter] of output.parameters) writeParameter(writer, 2, name, parameter);
    writer.ldelim();
  }
  for (const { data } of inputs) if (data) writer.uint32(field(7)).bytes(data);
  return new WireRequest(writer.finish() as Buffer);
}

function field(number: number): number {
  return (number << 3) | 2;
}
