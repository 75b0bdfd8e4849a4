import type { ModelConfig, ModelTensor } from './messages.ts';
import type { InferRequest } from './server.ts';
import { StatusError } from './status.ts';
import type { Tensor } from './tensors.ts';

/** The sizes of an element, by the datatypes that have a fixed one. */
const elementSizes: Readonly<Record<string, number>> = {
  BOOL: 1,
  UINT8: 1,
  UINT16: 2,
  UINT32: 4,
  UINT64: 8,
  INT8: 1,
  INT16: 2,
  INT32: 4,
  INT64: 8,
  FP16: 2,
  FP32: 4,
  FP64: 8,
  BF16: 2,
};

/** The protocol's name of a datatype of the configuration: TYPE_STRING is BYTES on the wire. */
export function datatypeOf(dataType: string): string {
  return dataType === 'TYPE_STRING' ? 'BYTES' : dataType.replace(/^TYPE_/, '');
}

/** Rejects a request that does not fit the model, with the messages and the order of checks of tritonserver 2.51. */
export function validateRequest(request: InferRequest, config: ModelConfig): void {
  refuseRepeated(request);
  for (const name of request.outputs ?? [])
    if (!config.output.some((output) => output.name === name))
      throw invalid(`unexpected inference output '${name}' for model '${config.name}'`);
  checkCount(request, config);
  const declared = request.inputs.map((input) => {
    const found = config.input.find(({ name }) => name === input.name);
    if (!found) throw invalid(`unexpected inference input '${input.name}' for model '${config.name}'`);
    return found;
  });
  request.inputs.forEach((input, index) => checkType(request, input, declared[index] as ModelTensor));
  request.inputs.forEach((input, index) =>
    checkShape(request, input, { declared: declared[index] as ModelTensor, config }),
  );
  for (const input of request.inputs) checkSize(request, input);
}

/** Triton's error for missing or too many inputs. */
export function wrongCount(request: InferRequest, config: ModelConfig): StatusError {
  const required = config.input.filter((input) => !input.optional);
  const got = request.inputs.map(({ name }) => name);
  const missing = required.map(({ name }) => name).filter((name) => !got.includes(name));
  const all = config.input.length;
  const expected = required.length === all ? `${all} inputs` : `number of inputs between ${required.length} and ${all}`;
  return invalid(
    `${prefix(request)}expected ${expected} but got ${got.length} inputs for model '${config.name}'. ` +
      `Got input(s) ${quoted(got)}, but missing required input(s) ${quoted(missing)}. Please provide all required input(s).`,
  );
}

/** Triton only counts: if the number fits, the backend reports a missing input. */
function checkCount(request: InferRequest, config: ModelConfig): void {
  const required = config.input.filter((input) => !input.optional).length;
  const { length } = request.inputs;
  if (length < required || length > config.input.length) throw wrongCount(request, config);
}

function refuseRepeated(request: InferRequest): void {
  const seen = new Set<string>();
  for (const { name } of request.inputs) {
    if (seen.has(name)) throw invalid(`${prefix(request)}input '${name}' already exists in request`);
    seen.add(name);
  }
}

function checkType(request: InferRequest, { name, datatype }: Tensor, declared: ModelTensor): void {
  const expected = datatypeOf(declared.data_type);
  if (datatype === expected) return;
  const actual = datatype === 'BYTES' || Object.hasOwn(elementSizes, datatype) ? datatype : '<invalid>';
  throw invalid(
    `${prefix(request)}inference input '${name}' data-type is '${actual}', but model '${request.model}' expects '${expected}'`,
  );
}

function checkShape(
  request: InferRequest,
  { name, shape }: Tensor,
  { declared, config }: { declared: ModelTensor; config: ModelConfig },
): void {
  if (shape.some((dimension) => dimension < 0))
    throw invalid(
      `${prefix(request)}All input dimensions should be specified for input '${name}' for model '${config.name}', got [${shape.join(',')}]`,
    );
  const isBatched = config.max_batch_size > 0;
  const own = isBatched ? shape.slice(1) : shape;
  const fits =
    own.length === declared.dims.length &&
    declared.dims.every((dimension, index) => dimension === -1 || dimension === own[index]);
  if (fits && (!isBatched || shape.length > 0)) return;
  const expected = isBatched ? [-1, ...declared.dims] : declared.dims;
  throw invalid(
    `${prefix(request)}unexpected shape for input '${name}' for model '${config.name}'. ` +
      `Expected [${expected.join(',')}], got [${shape.join(',')}]. `,
  );
}

function checkSize(request: InferRequest, { name, datatype, shape, data }: Tensor): void {
  const elements = shape.reduce((product, dimension) => product * dimension, 1);
  if (datatype === 'BYTES') {
    const texts = countTexts(name, data);
    if (texts !== elements)
      throw invalid(
        `${prefix(request)}unexpected number of string elements ${texts} for inference input '${name}' for model '${request.model}', expecting ${elements}`,
      );
    return;
  }
  const expected = elements * (elementSizes[datatype] as number);
  if (data.length !== expected)
    throw invalid(
      `${prefix(request)}input byte size mismatch for input '${name}' for model '${request.model}'. Expected ${expected}, got ${data.length}`,
    );
}

function countTexts(name: string, data: Buffer): number {
  let count = 0;
  for (let at = 0; at < data.length; count++) {
    if (data.length - at < 4)
      throw invalid(
        `incomplete string length indicator for inference input '${name}', expecting 4 bytes but only ${data.length - at} bytes available`,
      );
    const length = data.readUInt32LE(at);
    const rest = data.length - at - 4;
    if (length > rest)
      throw invalid(
        `incomplete string data for inference input '${name}', expecting string of length ${length} but only ${rest} bytes available`,
      );
    at += 4 + length;
  }
  return count;
}

function prefix({ id }: InferRequest): string {
  return id === '' ? '' : `[request id: ${id}] `;
}

function quoted(names: readonly string[]): string {
  return `[${names.map((name) => `'${name}'`).join(',')}]`;
}

function invalid(message: string): StatusError {
  return new StatusError('INVALID_ARGUMENT', message);
}
