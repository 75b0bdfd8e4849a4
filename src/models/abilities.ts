import type { ParameterName } from '../contracts/contract.ts';
import {
  type ModelContracts,
  type RowContracts,
  type RowsContract,
  type RowTask,
  rowTasks,
} from '../contracts/row-contracts.ts';
import type { RowSettings } from '../contracts/row-settings.ts';
import { ApiError } from '../errors.ts';
import type { PromptAssets } from '../prompt/assets.ts';
import { generatesText, type NamedModel, type ServedModel } from './served-model.ts';

/** What the capabilities of a model are derived from. */
interface AbilityFacts extends ModelContracts {
  readonly assets: PromptAssets | undefined;
  /** Whether its tool calls can be parsed, its reasoning is separated from its text, and images have a placeholder. */
  readonly reads: { readonly tools: boolean; readonly reasoning: boolean; readonly images: boolean };
}

/** A capability of models. */
interface Ability {
  /** Its name among the `capabilities` of GET /v1/models. */
  readonly name: string;
  /** Its name among Ollama's capabilities, where Ollama has one. */
  readonly ollamaName?: string;
  readonly isOf: (facts: AbilityFacts) => boolean;
}

/** A task that an endpoint needs. Every served model can do at least one. */
interface Task extends Ability {
  /** The predicates of a model that can do it, and of one that cannot. */
  readonly does: string;
  readonly lacks: string;
  readonly endpoint: string;
}

/** A task on rows of text. */
interface RowsTask extends Task {
  readonly name: RowTask;
  /** The body of a request to try it with, beside the model. */
  readonly example: object;
  /** How `conch doctor` titles the contract, and how it is recognized in a configuration. */
  readonly doctor: { readonly title: string; readonly why: string };
  /** The predicate for a model that generates text, where the setting is set for one; `lacks` by default. */
  readonly besideText?: string;
}

const text: Task = {
  name: 'completion',
  ollamaName: 'completion',
  does: 'generates text',
  lacks: 'does not generate text',
  endpoint: '/v1/chat/completions',
  isOf: ({ contract }) => contract !== undefined,
};

/** What models do with rows of text, by the name of the contract and of the setting. */
export const rowAbilities: Readonly<Record<RowTask, RowsTask>> = {
  embedding: {
    name: 'embedding',
    ollamaName: 'embedding',
    does: 'creates embeddings',
    lacks: 'does not create embeddings',
    endpoint: '/v1/embeddings',
    example: { input: 'A conch is a shell.' },
    doctor: {
      title: 'vectors',
      why: 'it takes a text or its token ids and returns a vector for it or for each token',
    },
    besideText: 'only its server can create embeddings with it',
    isOf: ({ rows }) => rows.embedding !== undefined,
  },
  rerank: {
    name: 'rerank',
    does: 'scores documents',
    lacks: 'does not score documents',
    endpoint: '/v1/rerank',
    example: { query: 'What is a conch?', documents: ['A shell.', 'A tree.'] },
    doctor: { title: 'scores', why: 'it takes two texts or their token ids and returns a score for them' },
    isOf: ({ rows }) => rows.rerank !== undefined,
  },
  classify: {
    name: 'classify',
    does: 'classifies texts',
    lacks: 'does not classify texts',
    endpoint: '/v1/classify',
    example: { input: 'A conch is a shell.' },
    doctor: { title: 'classes', why: 'it takes a text or its token ids and returns a score for each class' },
    isOf: ({ rows }) => rows.classify !== undefined,
  },
};

const takes =
  (parameter: ParameterName): Ability['isOf'] =>
  ({ contract }) =>
    contract !== undefined && contract.support(parameter).kind !== 'refused';

/** All capabilities of models. Everything that reports capabilities reads this list. */
export const abilities: readonly Ability[] = [
  text,
  { name: 'chat', isOf: ({ contract, assets }) => contract !== undefined && assets?.template !== undefined },
  { name: 'tools', ollamaName: 'tools', isOf: ({ reads }) => reads.tools },
  { name: 'images', ollamaName: 'vision', isOf: ({ reads }) => reads.images },
  { name: 'reasoning', ollamaName: 'thinking', isOf: ({ reads }) => reads.reasoning },
  { name: 'guided_decoding', isOf: takes('structured_outputs') },
  { name: 'logprobs', isOf: takes('logprobs') },
  { name: 'logit_bias', isOf: takes('logit_bias') },
  { name: 'token_ids', isOf: ({ assets }) => assets?.tokenizer !== undefined },
  ...Object.values(rowAbilities),
];

/** The first row task of a model; undefined if it has none. */
export function firstRowAbility({ rows }: Pick<ModelContracts, 'rows'>): RowsTask | undefined {
  const task = rowTasks.find((each) => rows[each]);
  return task && rowAbilities[task];
}

/** The contract of that task. The inputs of a model with several tasks are the same for all. */
export function firstRows(rows: RowContracts): RowsContract | undefined {
  const task = rowTasks.find((each) => rows[each]);
  return task && rows[task];
}

/** The settings of a model for its row tasks. */
export function rowSettings(settings: RowSettings): RowSettings {
  return Object.fromEntries(rowTasks.map((task) => [task, settings[task]]));
}

/** The name of a model's contract: that of its text generation, or its first row task. */
export function contractName(model: ModelContracts): string {
  return model.contract?.kind ?? firstRowAbility(model)?.name ?? '-';
}

/** A model that generates text. For any other, a 400 that names its tasks. */
export function requireText(model: NamedModel): ServedModel {
  if (generatesText(model)) return model;
  throw lacking(model, text);
}

/** The contract of a row task. For a model without it, a 400 that names its tasks. */
export function requireRows<TaskName extends RowTask>(
  model: NamedModel,
  task: TaskName,
): NonNullable<RowContracts[TaskName]> {
  const contract = model.rows[task];
  if (!contract) throw lacking(model, rowAbilities[task]);
  return contract;
}

/** Every model of vLLM's backend declares the tensors of embeddings, so text generation comes first. */
function lacking({ name, contract, rows }: NamedModel, { lacks }: Task): ApiError {
  const does = contract ? [text] : rowTasks.filter((task) => rows[task]).map((task) => rowAbilities[task]);
  const instead = does.map((task) => `It ${task.does}: use POST ${task.endpoint}.`).join(' ');
  return new ApiError('invalid_request', `model: ${name} ${lacks}. ${instead}`, { param: 'model' });
}
