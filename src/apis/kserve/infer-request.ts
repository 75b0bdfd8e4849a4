import type { InferParameter } from '../../kserve/infer-parameters.ts';
import type { WireRequest } from '../../kserve/infer-request-codec.ts';
import { type InputPart, makeRequest, type RequestParts } from '../../kserve/infer-request-writer.ts';
import { parseJson } from '../../kserve/json-parse.ts';
import { elementCount, tensorFromJson } from '../../kserve/json-tensors.ts';
import {
  asBoolean,
  asString,
  asUnsigned,
  find,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  memberArray,
  prefixed,
  textOf,
} from '../../kserve/json-value.ts';
import type { TensorMetadata } from '../../kserve/messages.ts';
import { StatusError } from '../../kserve/status.ts';
import { readParameters, sharedMemoryOf } from './infer-parameters.ts';

/** The encoding of an output: in the JSON, as bytes after it, or none because it is in shared memory. */
export type OutputEncoding = 'json' | 'binary' | 'shared-memory';

/** An `infer` request with the encodings of its outputs. */
export interface ParsedInfer {
  readonly request: WireRequest;
  readonly encodingOf: (output: string) => OutputEncoding;
}

/** The body of an `infer` request: JSON, then the bytes of binary inputs. */
interface InferBody {
  readonly body: Buffer;
  readonly headerLength: number;
  readonly model: string;
  readonly version: string;
}

/** Reads an `infer` request with a JSON part. */
export function parseInfer({ body, headerLength, model, version }: InferBody): ParsedInfer {
  const json = parseJson(body.subarray(0, headerLength));
  const id = find(json, 'id');
  const requestId = id === undefined ? '' : textOf(prefixed("Unable to parse 'id'", () => asString(id)));
  const { parameters, binaryOutput } = readParameters(find(json, 'parameters'));
  const inputs = readInputs(json, { bytes: body.subarray(headerLength), model });
  const outputs = readOutputs(json);
  const encodings = new Map(outputs.map(({ name, encoding }) => [name, encoding]));
  return {
    request: makeRequest({ model, version, id: requestId, parameters, inputs, outputs }),
    encodingOf: (output) => encodings.get(output) ?? (binaryOutput ? 'binary' : 'json'),
  };
}

function readInputs(json: JsonValue, { bytes, model }: { bytes: Buffer; model: string }): InputPart[] {
  let at = 0;
  const inputs = prefixed("Unable to parse 'inputs'", () => memberArray(json, 'inputs')).map((input) => {
    const tensor = readInput(input);
    const size = binarySize(tensor.parameters);
    if (size === undefined) return inputPart(input, tensor);
    const data = bytes.subarray(at, at + size);
    if (data.length < size)
      throw invalid(
        `unexpected size for input '${tensor.name}', expecting ${size - data.length} additional bytes for model '${model}'`,
      );
    at += size;
    return { ...tensor, data, parameters: [] };
  });
  if (at < bytes.length) throw invalid(`unexpected additional input data for model '${model}'`);
  return inputs;
}

interface JsonInput extends TensorMetadata {
  readonly parameters: JsonObject | undefined;
}

function readInput(input: JsonValue): JsonInput {
  const parameters = parametersOf(input);
  checkSources(input, parameters);
  const name = textOf(prefixed("Unable to parse 'name'", () => asString(member(input, 'name'))));
  const datatype = textOf(prefixed("Unable to parse 'datatype'", () => asString(member(input, 'datatype'))));
  const shape = prefixed("Unable to parse 'shape'", () =>
    memberArray(input, 'shape').map((dimension) => Number(asUnsigned(dimension))),
  );
  return { name, datatype, shape, parameters };
}

function inputPart(input: JsonValue, { name, datatype, shape, parameters }: JsonInput): InputPart {
  const sharedMemory = sharedMemoryOf(parameters);
  if (sharedMemory) return { name, datatype, shape, data: undefined, parameters: sharedMemory };
  const count = elementCount(shape);
  if (count === 0) return { name, datatype, shape, data: Buffer.alloc(0), parameters: [] };
  const data = prefixed("Unable to parse 'data'", () => memberArray(input, 'data'));
  return { name, datatype, shape, data: tensorFromJson({ name, datatype, data, count }), parameters: [] };
}

/** Exactly one field must hold the data. */
function checkSources(input: JsonValue, parameters: JsonObject | undefined): void {
  const sources = [
    ...(find(input, 'data') === undefined ? [] : ["'data'"]),
    ...(parameters?.has('binary_data_size') ? ["'binary_data_size'"] : []),
    ...(parameters?.has('shared_memory_region') ? ["'shared_memory_region'"] : []),
  ];
  if (sources.length === 1) return;
  throw invalid(
    "Input must set only one of the following fields: 'data', 'binary_data_size' in 'parameters', " +
      `'shared_memory_region' in 'parameters'. But ${sources.length === 0 ? 'no field is set' : `set ${sources.join(' ')}`}`,
  );
}

function binarySize(parameters: JsonObject | undefined): number | undefined {
  const size = parameters?.get('binary_data_size');
  return size === undefined
    ? undefined
    : Number(prefixed("Unable to parse 'binary_data_size'", () => asUnsigned(size)));
}

type RequestedOutput = RequestParts['outputs'][number] & { readonly encoding: OutputEncoding };

function readOutputs(json: JsonValue): RequestedOutput[] {
  if (find(json, 'outputs') === undefined) return [];
  return prefixed("Unable to parse 'outputs'", () => memberArray(json, 'outputs')).map((output) => {
    const parameters = parametersOf(output);
    checkOutput(parameters);
    const name = textOf(prefixed("Unable to parse 'name'", () => asString(member(output, 'name'))));
    const classes = classification(parameters);
    const sharedMemory = sharedMemoryOf(parameters);
    if (sharedMemory) return { name, parameters: sharedMemory, encoding: 'shared-memory' };
    return { name, parameters: classes, encoding: isBinary(parameters, 'parse') ? 'binary' : 'json' };
  });
}

function checkOutput(parameters: JsonObject | undefined): void {
  if (!parameters?.has('shared_memory_region')) return;
  if (parameters.has('classification'))
    throw invalid("Output can't set both 'shared_memory_region' and 'classification'");
  if (isBinary(parameters, 'set')) throw invalid("Output can't set both 'shared_memory_region' and 'binary_data'");
}

function isBinary(parameters: JsonObject | undefined, verb: 'parse' | 'set'): boolean {
  const value = parameters?.get('binary_data');
  return value !== undefined && prefixed(`Unable to ${verb} 'binary_data'`, () => asBoolean(value));
}

function classification(parameters: JsonObject | undefined): [string, InferParameter][] {
  const count = parameters?.get('classification');
  if (count === undefined) return [];
  const value = prefixed("Unable to set 'classification'", () => asUnsigned(count));
  return Number(value) === 0 ? [] : [['classification', { kind: 'int64', value }]];
}

function parametersOf(tensor: JsonValue): JsonObject | undefined {
  const parameters = find(tensor, 'parameters');
  return isObject(parameters) ? parameters : undefined;
}

function invalid(message: string): StatusError {
  return new StatusError('INVALID_ARGUMENT', message);
}
