import { makeRequest } from '../../kserve/infer-request-writer.ts';
import { elementCount, elementSizes } from '../../kserve/json-tensors.ts';
import type { ModelConfig, ModelTensor } from '../../kserve/messages.ts';
import { StatusError } from '../../kserve/status.ts';
import type { ParsedInfer } from './infer-request.ts';

/** A request without a JSON part: the whole body is the one input of the model, and the outputs come back as bytes. */
export function rawInfer(body: Buffer, config: ModelConfig, version: string): ParsedInfer {
  const [input, ...others] = config.input;
  if (!input || others.length > 0)
    throw invalid(
      `Raw request must only have 1 input (found 1) to be deduced but got ${config.input.length} inputs in '${config.name}' model configuration`,
    );
  const datatype = input.data_type === 'TYPE_STRING' ? 'BYTES' : input.data_type.replace('TYPE_', '');
  const { shape, data } = datatype === 'BYTES' ? textInput(body, input) : numberInput(body, input, datatype);
  const batched = config.max_batch_size > 0 ? [1, ...shape] : shape;
  const expected = elementCount(batched) * (elementSizes[datatype] ?? 0);
  if (datatype !== 'BYTES' && expected !== data.length)
    throw invalid(
      `input byte size mismatch for input 'raw_input' for model '${config.name}'. Expected ${expected}, got ${data.length}`,
    );
  const inputs = [{ name: input.name, datatype, shape: batched, data, parameters: [] }];
  return {
    request: makeRequest({ model: config.name, version, id: '', parameters: [], inputs, outputs: [] }),
    encodingOf: () => 'binary',
  };
}

interface DeducedInput {
  readonly shape: readonly number[];
  readonly data: Buffer;
}

function textInput(body: Buffer, { name, dims }: ModelTensor): DeducedInput {
  if (dims.some((dimension) => dimension !== 1))
    throw invalid(`For BYTE datatype raw input '${name}', the model must have input shape [1]`);
  const length = Buffer.allocUnsafe(4);
  length.writeUInt32LE(body.length);
  return { shape: dims, data: Buffer.concat([length, body]) };
}

function numberInput(data: Buffer, { name, dims }: ModelTensor, datatype: string): DeducedInput {
  if (dims.filter((dimension) => dimension === -1).length > 1)
    throw invalid(
      `The shape of the raw input '${name}' can not be deduced because there are more than one variable-sized dimension`,
    );
  const fixed = elementCount(dims.filter((dimension) => dimension !== -1)) * (elementSizes[datatype] ?? 1);
  const rest = Math.floor(data.length / fixed);
  return { shape: dims.map((dimension) => (dimension === -1 ? rest : dimension)), data };
}

function invalid(message: string): StatusError {
  return new StatusError('INVALID_ARGUMENT', `[request id: <id_unknown>] ${message}`);
}
