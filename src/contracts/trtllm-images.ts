import type { ModelConfig } from '../kserve/messages.ts';
import type { Tensor } from '../kserve/tensors.ts';
import type { EncodedImage, GenerateRequest, ImageSupport } from './contract.ts';
import type { DeclaredInputs } from './declared-inputs.ts';
import { parameterOf } from './parameters.ts';

/** The input of the ensemble and the BLS model. */
const textModelInput = 'image_url_input';
/** The input of the model on the LLM API. */
const llmapiInput = 'image_url';

/**
 * The image support of models that take text. Every BLS model of a release has the input, but only one that has the name
 * of a multimodal encoder reads it.
 */
export function trtllmImages(config: ModelConfig): ImageSupport {
  const hasEncoder =
    config.ensemble_scheduling !== undefined || parameterOf(config, 'multimodal_encoders_name') !== undefined;
  return hasEncoder ? declaredImages(config, textModelInput) : refused;
}

export function llmapiImages(config: ModelConfig): ImageSupport {
  return declaredImages(config, llmapiInput);
}

const refused: ImageSupport = { kind: 'refused', reason: 'This model of TensorRT-LLM has no input for images.' };

/** An input of a fixed size says how many it takes. */
function declaredImages({ input }: ModelConfig, name: string): ImageSupport {
  const declared = input.find((tensor) => tensor.name === name);
  if (declared?.data_type !== 'TYPE_STRING') return refused;
  const most = Number(declared.dims.at(-1));
  return most > 0 ? { kind: 'taken', most } : { kind: 'taken' };
}

/**
 * Preprocessing recognizes a data URL only by this exact prefix; anything else it would fetch. It then detects the image
 * type by the bytes, whatever type the URL has.
 */
export function trtllmImageTensors(inputs: DeclaredInputs, { images = [] }: GenerateRequest): Tensor[] {
  return urlTensor(
    inputs,
    textModelInput,
    images.map(({ bytes }) => dataUrl({ type: 'image/jpeg', bytes })),
  );
}

export function llmapiImageTensors(inputs: DeclaredInputs, { images = [] }: GenerateRequest): Tensor[] {
  return urlTensor(inputs, llmapiInput, images.map(dataUrl));
}

function urlTensor(inputs: DeclaredInputs, name: string, urls: readonly string[]): Tensor[] {
  return urls.length === 0 ? [] : inputs.texts(name, urls);
}

function dataUrl({ type, bytes }: EncodedImage): string {
  return `data:${type};base64,${bytes.toString('base64')}`;
}
