import type { InferParameter, InferParameters } from '../../kserve/infer-parameters.ts';
import {
  asBoolean,
  asMembers,
  asString,
  asUnsigned,
  Double,
  isSigned,
  type JsonObject,
  type JsonValue,
  prefixed,
  textOf,
} from '../../kserve/json-value.ts';
import { StatusError } from '../../kserve/status.ts';

/** The parameters of an `infer` request in JSON. `binary_data_output` is for the frontend itself. */
export function readParameters(json: JsonValue | undefined): { parameters: InferParameters; binaryOutput: boolean } {
  const parameters: [string, InferParameter][] = [];
  let binaryOutput = false;
  if (json === undefined) return { parameters, binaryOutput };
  const members = prefixed('failed to get request params.', () => asMembers(json));
  for (const [name, value] of members) {
    if (name === 'binary_data_output')
      binaryOutput = prefixed("Unable to parse 'binary_data_output'", () => asBoolean(value));
    else parameters.push([textOf(name), readParameter(name, value)]);
  }
  return { parameters, binaryOutput };
}

/** A parameter that is passed on to the backend. */
export function customParameter(name: string, value: JsonValue): InferParameter {
  if (typeof value === 'string') return { kind: 'string', value: textOf(value) };
  if (typeof value === 'boolean') return { kind: 'bool', value };
  if (isSigned(value)) return { kind: 'int64', value };
  if (typeof value === 'number' || typeof value === 'bigint') return { kind: 'double', value: Number(value) };
  if (value instanceof Double) return { kind: 'double', value: value.value };
  throw new StatusError(
    'INVALID_ARGUMENT',
    `parameter '${textOf(name)}' has invalid type. It should be either 'int', 'bool', or 'string'.`,
  );
}

/** The shared memory location of an input or output, as tensor parameters; undefined if it has none. */
export function sharedMemoryOf(parameters: JsonObject | undefined): InferParameters | undefined {
  const region = parameters?.get('shared_memory_region');
  if (parameters === undefined || region === undefined) return undefined;
  const name = prefixed("Unable to parse 'shared_memory_region'", () => asString(region));
  const number = (key: string): [string, InferParameter][] => {
    const value = parameters.get(key);
    if (value === undefined) return [];
    return [[key, { kind: 'int64', value: prefixed(`Unable to parse '${key}'`, () => asUnsigned(value)) }]];
  };
  return [
    ['shared_memory_region', { kind: 'string', value: textOf(name) }],
    ...number('shared_memory_offset'),
    ...number('shared_memory_byte_size'),
  ];
}

function readParameter(name: string, value: JsonValue): InferParameter {
  switch (name) {
    case 'sequence_id':
      return sequenceId(value);
    case 'sequence_start':
    case 'sequence_end':
      return { kind: 'bool', value: prefixed(`Unable to parse '${name}'`, () => asBoolean(value)) };
    case 'priority':
      return { kind: 'uint64', value: prefixed("Unable to parse 'priority'", () => asUnsigned(value)) };
    case 'timeout':
      return { kind: 'int64', value: prefixed("Unable to parse 'timeout'", () => asUnsigned(value)) };
    default:
      if (name.startsWith('triton_'))
        throw new StatusError(
          'INVALID_ARGUMENT',
          "parameter keys starting with 'triton_' are reserved for Triton usage and should not be specified.",
        );
      return customParameter(name, value);
  }
}

function sequenceId(value: JsonValue): InferParameter {
  const isWhole = typeof value === 'bigint' || (Number.isInteger(value) && (value as number) >= 0);
  if (isWhole) return { kind: 'int64', value: value as number | bigint };
  return { kind: 'string', value: textOf(prefixed("Unable to parse 'sequence_id'", () => asString(value))) };
}
