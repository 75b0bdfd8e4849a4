/** What the token server says of its model and itself, without any inference. */
import { harness } from '../harness.mjs';
import { MODEL } from './tensors.mjs';

/** @import { Model, TensorDescription } from './served-model.mjs' */

const EXTENSIONS = ['sequence', 'model_repository', 'model_configuration', 'binary_tensor_data', 'parameters'];

/** @param {TensorDescription} tensor */
const configured = ({ name, type, dims }) => ({
  name,
  data_type: type === 'BYTES' ? 'TYPE_STRING' : `TYPE_${type}`,
  dims,
});

/** @param {Model} model */
function configuration({ platform, backend, batch, inputs, outputs }) {
  return {
    name: MODEL,
    platform,
    backend,
    max_batch_size: batch,
    input: inputs.map((tensor) => ({ ...configured(tensor), optional: tensor.required !== true })),
    output: outputs.map(configured),
    parameters: {},
    instance_group: [{ name: `${MODEL}_0`, count: 1, kind: 'KIND_MODEL' }],
    model_transaction_policy: { decoupled: true },
  };
}

/** @param {Model} model */
function metadata({ platform, backend, batch, inputs, outputs }) {
  const described = (/** @type {TensorDescription} */ { name, type, dims }) => ({
    name,
    datatype: type,
    shape: batch > 0 ? [-1, ...dims] : dims,
  });
  return {
    name: MODEL,
    versions: ['1'],
    platform: platform || backend,
    inputs: inputs.map(described),
    outputs: outputs.map(described),
  };
}

/**
 * The responses to the calls without inference, by method.
 * @param {Model} model
 * @returns {Map<string, Uint8Array>}
 */
export function descriptions(model) {
  const { encodeControlResponse: encoded } = harness;
  const index = { name: MODEL, version: '1', state: 'READY', reason: '' };
  return new Map([
    ['ServerLive', encoded('ServerLive', { live: true })],
    ['ServerReady', encoded('ServerReady', { ready: true })],
    ['ServerMetadata', encoded('ServerMetadata', { name: 'triton', version: '2.65.0', extensions: EXTENSIONS })],
    ['RepositoryIndex', encoded('RepositoryIndex', { models: [index] })],
    ['ModelReady', encoded('ModelReady', { ready: true })],
    ['ModelMetadata', encoded('ModelMetadata', metadata(model))],
    ['ModelConfig', encoded('ModelConfig', { config: configuration(model) })],
  ]);
}
