import type { ModelConfig, ModelTensor } from '../kserve/messages.ts';
import { parameterOf } from './parameters.ts';
import {
  type Activation,
  activations,
  type ClassifyContract,
  type EmbeddingContract,
  noRows,
  type RerankContract,
  type RowContracts,
  type RowTask,
  rowTasks,
} from './row-contracts.ts';
import { findInputs } from './row-inputs.ts';
import { misnamed } from './row-names.ts';
import { findClasses, findScores, findVectors, isFinishedScore, widthOf } from './row-outputs.ts';
import type { ClassifySettings, EmbeddingSettings, RerankSettings, RowSettings } from './row-settings.ts';
import { outputRank, tensorRows } from './row-tensors.ts';

/** What a model that generates no text can do, by its tensors; a reason where its settings do not fit them. */
interface RowsDetection {
  readonly rows: RowContracts;
  readonly reason?: string | undefined;
}

/** A string is the reason why a model of this kind cannot be used; undefined: the model is of another kind. */
type DetectedContract<Contract> = Contract | string | undefined;

/** In the order in which they are tried. */
const detectors: {
  readonly [Task in RowTask]: (
    config: ModelConfig,
    facts: RowSettings,
  ) => DetectedContract<NonNullable<RowContracts[Task]>>;
} = {
  rerank: (config, { rerank = {} }) => rerankContract(config, rerank),
  classify: (config, { classify }) => classifyContract(config, { ...classify, isSet: classify !== undefined }),
  embedding: (config, { embedding = {} }) => embeddingContract(config, embedding),
};

const misfits: Readonly<Record<RowTask, string>> = {
  rerank: 'it is set to rerank, which does not fit its tensors',
  embedding: 'it is set to make embeddings, which does not fit its tensors',
  classify: 'it is set to classify, which does not fit its tensors',
};

/** Finds out what a model makes of texts. Where the operator has set tasks for it, only those are tried. */
export function detectRows(config: ModelConfig, facts: RowSettings): RowsDetection {
  const order = Object.keys(detectors) as RowTask[];
  for (const task of order) {
    const wrong = misnamed(config, task, facts[task]);
    if (wrong !== undefined) return { rows: noRows, reason: wrong };
  }
  const set = rowTasks.filter((task) => facts[task] !== undefined);
  const tasks = set.length > 0 ? order.filter((task) => set.includes(task)) : order;
  const rows: { -readonly [Task in RowTask]?: RowContracts[Task] } = {};
  let reason: string | undefined;
  for (const task of tasks) {
    // What scores pairs may have vectors of tokens among its outputs, which are no embeddings.
    if (task === 'embedding' && rows.rerank) continue;
    const found = detectors[task](config, facts);
    if (typeof found === 'object' && rows.classify?.outputs[0] === found.outputs[0] && set.length === 0) continue;
    if (typeof found === 'object') Object.assign(rows, { [task]: found });
    else if (set.length > 0) return { rows: noRows, reason: found ?? misfits[task] };
    else reason ??= found;
  }
  return Object.keys(rows).length > 0 ? { rows } : { rows: noRows, reason };
}

function embeddingContract(config: ModelConfig, settings: EmbeddingSettings): EmbeddingContract | undefined {
  const output = findVectors(config, settings.output);
  const inputs = output && findInputs(config, { texts: 1, output, settings });
  if (!output || !inputs) return undefined;
  const rank = outputRank(config, inputs, output);
  if (rank !== 1 && rank !== 2) return undefined;
  return {
    ...tensorRows({ inputs, output, rank }),
    kind: 'tensors',
    isPooledHere: rank === 2,
    pooling: settings.pooling,
    normalize: settings.normalize,
    prompt: settings.prompt,
  };
}

function rerankContract(config: ModelConfig, settings: RerankSettings): DetectedContract<RerankContract> {
  const output = findScores(config, settings.output);
  const inputs = output && findInputs(config, { texts: 2, output, settings });
  if (!output || !inputs) return undefined;
  const rank = outputRank(config, inputs, output);
  if (rank > 1) return undefined;
  const labels = classesOf(output, rank) ?? 1;
  if (labels > 2 && settings.label === undefined)
    return `it sorts texts into ${labels} classes; to rerank by one of them, set rerank.label`;
  const label = settings.label ?? labels - 1;
  if (label >= labels) return `rerank.label is ${label}, but it has ${labels} labels, counted from 0`;
  return {
    ...tensorRows({ inputs, output, rank }),
    activation: settings.activation ?? (labels > 1 ? 'softmax' : usualActivation(output, 1)),
    label,
  };
}

/**
 * One text and a figure for each class. A single figure is a class only where the configuration says so: it may be the
 * score of a pair.
 */
function classifyContract(
  config: ModelConfig,
  settings: ClassifySettings & { readonly isSet: boolean },
): DetectedContract<ClassifyContract> {
  const parameters = classParameters(config);
  const isSaid = settings.isSet || parameters.labels !== undefined || parameters.activation !== undefined;
  const output = findClasses(config, settings.output, isSaid);
  const inputs = output && findInputs(config, { texts: 1, output, settings });
  if (!output || !inputs) return undefined;
  const rank = outputRank(config, inputs, output);
  if (rank > 1) return undefined;
  const labels = settings.labels ?? parameters.labels;
  const isLabelled = Boolean(output.label_filename);
  const classes = classesOf(output, rank) ?? labels?.length;
  if (!isLabelled && (classes === undefined || (classes === 1 && !isSaid))) return undefined;
  if (labels && labels.length !== classes)
    return `it sorts texts into ${classes} classes, but has ${labels.length} labels`;
  return {
    ...tensorRows({ inputs, output, rank }),
    width: classes,
    activation: settings.activation ?? parameters.activation ?? usualActivation(output, classes),
    labels,
    // Triton sends no classification of 16-bit figures.
    hasLabelFile: isLabelled && output.data_type === 'TYPE_FP32',
  };
}

/** What the parameters of `config.pbtxt` say of classes: `activation`, and `labels` with commas between them. */
function classParameters(config: ModelConfig): ClassifySettings {
  const activation = parameterOf(config, 'activation');
  return {
    activation: activations.find((each) => each === activation),
    labels: parameterOf(config, 'labels')
      ?.split(',')
      .map((label) => label.trim()),
  };
}

/** How many figures an output has for each row; undefined where the configuration does not say. */
function classesOf(output: ModelTensor, rank: number): number | undefined {
  return rank === 0 ? 1 : widthOf(output);
}

function usualActivation({ name }: ModelTensor, classes: number | undefined): Activation {
  if (isFinishedScore(name)) return 'none';
  return classes === 1 ? 'sigmoid' : 'softmax';
}
