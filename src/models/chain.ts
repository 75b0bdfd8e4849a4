import { isTokenEngine } from '../contracts/detect.ts';
import type { ModelConfig } from '../kserve/messages.ts';

/** The models of TensorRT-LLM that stand behind one that takes text. */
export interface Chain<Model> {
  readonly engine: Model;
  readonly preprocessing: Model | undefined;
}

/** What is known of a model of the same server. */
interface Neighbour {
  readonly name: string;
  readonly config: ModelConfig;
}

/** The names that NVIDIA's own BLS model asks for. */
const usualNames = { engine: 'tensorrt_llm', preprocessing: 'preprocessing' };

/** Finds the engine behind an ensemble by its steps, and behind a BLS model by the names that it is given. */
export function chainOf<Model extends Neighbour>(
  outer: ModelConfig,
  neighbours: readonly Model[],
): Chain<Model> | undefined {
  const names = innerNames(outer);
  const inside = neighbours.filter(({ name }) => name !== outer.name && names.includes(name));
  const engine = inside.find(({ config }) => isTokenEngine(config));
  return engine && { engine, preprocessing: inside.find(({ config }) => hasInput(config, 'QUERY')) };
}

/** The names of the models inside, of any kind: an ensemble's steps, or what a BLS model is known to call. */
export function innerNames(outer: ModelConfig): readonly string[] {
  const steps = outer.ensemble_scheduling?.step.map(({ model_name: name }) => name);
  return steps ?? blsNames(outer);
}

function blsNames(outer: ModelConfig): readonly string[] {
  if (outer.backend !== 'python') return [];
  const engine = parameterOf(outer, 'tensorrt_llm_model_name') ?? usualNames.engine;
  const draft = parameterOf(outer, 'tensorrt_llm_draft_model_name');
  return [engine, ...(draft === undefined ? [] : [draft]), usualNames.preprocessing, 'postprocessing'];
}

function hasInput({ input }: ModelConfig, name: string): boolean {
  return input.some((tensor) => tensor.name === name);
}

/** A parameter of a configuration; one whose template was never filled in counts as not set. */
export function parameterOf({ parameters }: ModelConfig, name: string): string | undefined {
  const value = parameters[name]?.string_value;
  return value === undefined || value === '' || /^\$\{.*\}$/.test(value) ? undefined : value;
}

/** Whether a parameter reads as yes, as Python's configurations spell it. */
export function isYes(value: string | undefined, otherwise: boolean): boolean {
  return value === undefined ? otherwise : ['true', 'yes', '1', 'on', 't', 'y'].includes(value.toLowerCase());
}
