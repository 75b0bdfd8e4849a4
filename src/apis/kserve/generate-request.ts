import type { InferParameter } from '../../kserve/infer-parameters.ts';
import type { WireRequest } from '../../kserve/infer-request-codec.ts';
import { type InputPart, makeRequest } from '../../kserve/infer-request-writer.ts';
import { tensorFromJson } from '../../kserve/json-tensors.ts';
import {
  asMembers,
  asString,
  binaryOf,
  find,
  isArray,
  type JsonValue,
  memberObject,
  prefixed,
  textOf,
} from '../../kserve/json-value.ts';
import type { ModelMetadata, TensorMetadata } from '../../kserve/messages.ts';
import { StatusError } from '../../kserve/status.ts';
import { customParameter } from './infer-parameters.ts';

/** The key whose members are read like top-level keys. */
const nested = 'parameters';

/** A `generate` request: keys that are inputs of the model become tensors, all others parameters. */
export function generateRequest(json: JsonValue, metadata: ModelMetadata, version: string): WireRequest {
  const known = new Map(metadata.inputs.map((input) => [binaryOf(input.name), input]));
  const idValue = find(json, 'id');
  const id = idValue === undefined ? '' : textOf(prefixed("Unable to parse 'id'", () => asString(idValue)));
  const inputs: InputPart[] = [];
  const parameters: [string, InferParameter][] = [];
  const take = (name: string, value: JsonValue): void => {
    const input = known.get(name);
    if (input) inputs.push(inputOf(input, value));
    else parameters.push([textOf(name), customParameter(name, value)]);
  };
  for (const [name, value] of asMembers(json)) {
    if (name !== nested) take(name, value);
    else takeNested(json, known.has(nested), take);
  }
  return makeRequest({ model: metadata.name, version, id, parameters, inputs, outputs: [] });
}

function takeNested(json: JsonValue, isInput: boolean, take: (name: string, value: JsonValue) => void): void {
  if (isInput) throw invalid(`Keyword '${nested}' for nested schema also given as input tensor name`);
  const members = prefixed(`Expected JSON object for keyword: '${nested}'`, () => memberObject(json, nested));
  prefixed(`Converting keyword: '${nested}'`, () => {
    for (const [name, value] of members) take(name, value);
  });
}

function inputOf({ name, datatype, shape }: TensorMetadata, value: JsonValue): InputPart {
  const count = isArray(value) ? value.length : 1;
  // Like Triton: texts are checked before the shape, everything else after it.
  const texts = datatype === 'BYTES' ? tensorFromJson({ name, datatype, data: value, count }) : undefined;
  const fitted = fittedShape(name, shape, count);
  const data = texts ?? tensorFromJson({ name, datatype, data: value, count });
  return { name, datatype, shape: fitted, data, parameters: [] };
}

/** Distributes the elements: fixed dimensions get theirs, the innermost dynamic one (-1) the rest, the others 1. */
function fittedShape(name: string, shape: readonly number[], count: number): number[] {
  let rest = count;
  for (const dimension of shape) {
    if (dimension === -1) continue;
    if (rest % dimension !== 0) throw unfit(name);
    rest /= dimension;
  }
  const fitted = [...shape];
  for (let index = fitted.length - 1; index >= 0; index--) {
    if (fitted[index] !== -1) continue;
    fitted[index] = rest;
    rest = 1;
  }
  if (rest !== 1) throw unfit(name);
  return fitted;
}

function unfit(name: string): StatusError {
  return invalid(`The schema can not convert input '${name}' to tensor with proper shape`);
}

function invalid(message: string): StatusError {
  return new StatusError('INVALID_ARGUMENT', message);
}
