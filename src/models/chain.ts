import { isTextModel, isTokenEngine } from '../contracts/detect.ts';
import { parameterOf } from '../contracts/parameters.ts';
import { trtllmImages } from '../contracts/trtllm-images.ts';
import type { ModelConfig } from '../kserve/messages.ts';

/** The TensorRT-LLM models inside an ensemble or BLS model that takes text. */
export interface Chain<Model> {
  readonly engine: Model;
  readonly preprocessing: Model | undefined;
  readonly postprocessing: Model | undefined;
  /** Whether all that the engine needs is made of the prompt's text: no images, no second encoder. */
  readonly isPlain: boolean;
}

/** Another model of the same server. */
interface Neighbour {
  readonly name: string;
  readonly config: ModelConfig;
}

/** The names that NVIDIA's own BLS model uses. */
const usualNames = { engine: 'tensorrt_llm', preprocessing: 'preprocessing', postprocessing: 'postprocessing' };

/** Finds the engine of an ensemble by its steps, and that of a BLS model by its parameters. */
export function chainOf<Model extends Neighbour>(
  outer: ModelConfig,
  neighbours: readonly Model[],
): Chain<Model> | undefined {
  const names = innerNames(outer);
  if (names.length === 0) return undefined;
  const inside = neighbours.filter(({ name }) => name !== outer.name && names.includes(name));
  const engine = inside.find(({ config }) => isTokenEngine(config));
  if (!engine) return undefined;
  const preprocessing = inside.find(({ config }) => hasInput(config, 'QUERY'));
  const postprocessing = inside.find(({ config }) => hasInput(config, 'TOKENS_BATCH'));
  const known = new Set([engine, preprocessing, postprocessing]);
  const isPlain =
    parameterOf(engine.config, 'encoder_model_path') === undefined &&
    parameterOf(outer, 'multimodal_encoders_name') === undefined &&
    trtllmImages(outer).kind === 'refused' &&
    inside.every((model) => known.has(model) || isTokenEngine(model.config));
  return { engine, preprocessing, postprocessing, isPlain };
}

/** The names of the models inside: an ensemble's steps, or what a BLS model is known to call. */
export function innerNames(outer: ModelConfig): readonly string[] {
  if (outer.ensemble_scheduling) return outer.ensemble_scheduling.step.map(({ model_name: name }) => name);
  if (outer.backend !== 'python' || !isTextModel(outer)) return [];
  const engine = parameterOf(outer, 'tensorrt_llm_model_name') ?? usualNames.engine;
  const draft = parameterOf(outer, 'tensorrt_llm_draft_model_name');
  return [engine, ...(draft === undefined ? [] : [draft]), usualNames.preprocessing, usualNames.postprocessing];
}

function hasInput({ input }: ModelConfig, name: string): boolean {
  return input.some((tensor) => tensor.name === name);
}
