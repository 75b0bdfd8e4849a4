import type { ModelConfig, ModelMetadata, ModelTensor, TensorMetadata } from './messages.ts';

/**
 * The configuration of a model whose server has no ModelConfig, as far as its metadata shows it. Metadata do not say
 * which inputs are optional, so none is.
 */
export function configOfMetadata({ name, platform, inputs, outputs }: ModelMetadata): ModelConfig {
  const isBatched = hasBatches([...inputs, ...outputs]);
  const tensor = ({ name: tensorName, datatype, shape }: TensorMetadata): ModelTensor => ({
    name: tensorName,
    data_type: configType(datatype),
    dims: isBatched ? shape.slice(1) : shape,
  });
  return {
    name,
    platform,
    backend: '',
    max_batch_size: isBatched ? 1 : 0,
    input: inputs.map(tensor),
    output: outputs.map(tensor),
    parameters: {},
    model_transaction_policy: { decoupled: inputs.some(isStreamFlag) },
  };
}

/** A model that takes this flag can send several responses to one request. */
function isStreamFlag({ name, datatype }: TensorMetadata): boolean {
  return (name === 'stream' || name === 'streaming') && configType(datatype) === 'TYPE_BOOL';
}

/**
 * Whether the first dimension of all tensors is the batch. Only text shows that: one text has one dimension. Models of
 * numbers can have two dimensions of any size on their own.
 */
function hasBatches(tensors: readonly TensorMetadata[]): boolean {
  const isText = ({ name }: TensorMetadata): boolean => name === 'text_input';
  return tensors.some(isText) && tensors.every(({ shape }) => shape.length > 1 && shape[0] === -1);
}

/** Metadata have the names of the wire, but Dynamo sends those of configurations for models that have one. */
function configType(datatype: string): string {
  if (datatype.startsWith('TYPE_')) return datatype;
  return datatype === 'BYTES' ? 'TYPE_STRING' : `TYPE_${datatype}`;
}
