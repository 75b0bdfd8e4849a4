/** What the token server says of its model and itself, without any inference. */
import { MODEL } from './tensors.mjs';
import { field, integer, integers } from './wire/protobuf.mjs';

/** @import { Model, TensorDescription } from './model.mjs' */

const TYPES = /** @type {const} */ ({ BOOL: 1, UINT32: 4, UINT64: 5, INT32: 8, FP32: 11, BYTES: 13 });

/**
 * @param {number} batch
 * @param {TensorDescription} tensor
 */
function tensorMetadata(batch, { name, type, dims }) {
  return [field(1, name), field(2, type), integers(3, batch > 0 ? [-1, ...dims] : dims)];
}

/** @param {Model} model */
function configuration({ platform, backend, batch, inputs, outputs }) {
  return [
    field(1, MODEL),
    field(2, platform),
    field(17, backend),
    integer(4, batch),
    ...inputs.map(({ name, type, dims, required = false }) =>
      field(5, [field(1, name), integer(2, TYPES[type]), integers(4, dims), integer(8, !required)]),
    ),
    ...outputs.map(({ name, type, dims }) => field(6, [field(1, name), integer(2, TYPES[type]), integers(3, dims)])),
    field(7, [field(1, `${MODEL}_0`), integer(2, 1), integer(4, 3)]),
    field(19, [integer(1, true)]),
  ];
}

const EXTENSIONS = ['sequence', 'model_repository', 'model_configuration', 'binary_tensor_data', 'parameters'];

/**
 * The answers to the calls without inference, by method.
 * @param {Model} model
 * @returns {Map<string, Buffer>}
 */
export function descriptions(model) {
  const { platform, backend, batch, inputs, outputs } = model;
  const metadata = [
    field(1, MODEL),
    field(2, '1'),
    field(3, platform || backend),
    ...inputs.map((tensor) => field(4, tensorMetadata(batch, tensor))),
    ...outputs.map((tensor) => field(5, tensorMetadata(batch, tensor))),
  ];
  /** @type {[string, Buffer[]][]} */
  const answers = [
    ['ServerLive', [integer(1, true)]],
    ['ServerReady', [integer(1, true)]],
    ['ServerMetadata', [field(1, 'triton'), field(2, '2.65.0'), ...EXTENSIONS.map((name) => field(3, name))]],
    ['RepositoryIndex', [field(1, [field(1, MODEL), field(2, '1'), field(3, 'READY')])]],
    ['ModelReady', [integer(1, true)]],
    ['ModelMetadata', metadata],
    ['ModelConfig', [field(1, configuration(model))]],
  ];
  return new Map(answers.map(([method, parts]) => [method, Buffer.concat(parts)]));
}
