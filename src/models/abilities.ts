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

/** What is known of a model when somebody asks what it can do. */
interface AbilityFacts extends ModelContracts {
  readonly assets: PromptAssets | undefined;
  /** Whether its tool calls can be read, and whether its reasoning is told from its text. */
  readonly reads: { readonly tools: boolean; readonly reasoning: boolean };
}

/** Something that clients may want of a model. */
interface Ability {
  /** Its name among the `capabilities` of GET /v1/models. */
  readonly name: string;
  /** Its name among Ollama's capabilities, where Ollama has one. */
  readonly ollamaName?: string;
  readonly isOf: (facts: AbilityFacts) => boolean;
}

/** A kind of work, which some endpoint asks for: every model that is served does at least one. */
interface Task extends Ability {
  /** What a model does that can do it, and what one does not that cannot. */
  readonly does: string;
  readonly lacks: string;
  readonly endpoint: string;
}

/** A kind of work on rows of text. */
interface RowsTask extends Task {
  readonly name: RowTask;
  /** The body of a request to try it with, beside the model. */
  readonly example: object;
  /** How `conch doctor` titles the way it is done, and what of a configuration it is known by. */
  readonly doctor: { readonly title: string; readonly why: string };
  /** What a model that generates text does instead, where it is set for one; left out: it lacks it. */
  readonly besideText?: string;
}

const text: Task = {
  name: 'completion',
  ollamaName: 'completion',
  does: 'generates text',
  lacks: 'generates no text',
  endpoint: '/v1/chat/completions',
  isOf: ({ contract }) => contract !== undefined,
};

/** What models do with rows of text, by the name of the contract and of the setting. */
export const rowAbilities: Readonly<Record<RowTask, RowsTask>> = {
  embedding: {
    name: 'embedding',
    ollamaName: 'embedding',
    does: 'makes embeddings',
    lacks: 'makes no embeddings',
    endpoint: '/v1/embeddings',
    example: { input: 'A conch is a shell.' },
    doctor: {
      title: 'vectors',
      why: 'it takes a text or its token ids and gives a vector for it or for each token',
    },
    besideText: 'any vectors are made by its server alone',
    isOf: ({ rows }) => rows.embedding !== undefined,
  },
  rerank: {
    name: 'rerank',
    does: 'scores documents',
    lacks: 'scores no documents',
    endpoint: '/v1/rerank',
    example: { query: 'What is a conch?', documents: ['A shell.', 'A tree.'] },
    doctor: { title: 'scores', why: 'it takes two texts or their token ids and gives a score for them' },
    isOf: ({ rows }) => rows.rerank !== undefined,
  },
  classify: {
    name: 'classify',
    does: 'sorts texts into classes',
    lacks: 'sorts no texts into classes',
    endpoint: '/v1/classify',
    example: { input: 'A conch is a shell.' },
    doctor: { title: 'classes', why: 'it takes a text or its token ids and gives a figure for each class' },
    isOf: ({ rows }) => rows.classify !== undefined,
  },
};

const takes =
  (parameter: ParameterName): Ability['isOf'] =>
  ({ contract }) =>
    contract !== undefined && contract.support(parameter).kind !== 'refused';

/** All that clients may want of a model. Everything that tells what a model can do reads this list. */
export const abilities: readonly Ability[] = [
  text,
  { name: 'chat', isOf: ({ contract, assets }) => contract !== undefined && assets?.template !== undefined },
  { name: 'tools', ollamaName: 'tools', isOf: ({ reads }) => reads.tools },
  { name: 'images', ollamaName: 'vision', isOf: ({ contract }) => contract?.images.kind === 'taken' },
  { name: 'reasoning', ollamaName: 'thinking', isOf: ({ reads }) => reads.reasoning },
  { name: 'guided_decoding', isOf: takes('structured_outputs') },
  { name: 'logprobs', isOf: takes('logprobs') },
  { name: 'logit_bias', isOf: takes('logit_bias') },
  { name: 'token_ids', isOf: ({ assets }) => assets?.tokenizer !== undefined },
  ...Object.values(rowAbilities),
];

/** The first thing that a model does with rows of text; undefined where it does nothing with them. */
export function firstRowAbility({ rows }: Pick<ModelContracts, 'rows'>): RowsTask | undefined {
  const task = rowTasks.find((each) => rows[each]);
  return task && rowAbilities[task];
}

/** How it does that; the inputs of a model that does several things are the same for all. */
export function firstRows(rows: RowContracts): RowsContract | undefined {
  const task = rowTasks.find((each) => rows[each]);
  return task && rows[task];
}

/** The settings of a model that bear on what it does with rows of text. */
export function rowSettings(settings: RowSettings): RowSettings {
  return Object.fromEntries(rowTasks.map((task) => [task, settings[task]]));
}

/** The name of the contract by which a model is known: that of its text, or what it does with rows. */
export function contractName(model: ModelContracts): string {
  return model.contract?.kind ?? firstRowAbility(model)?.name ?? '-';
}

/** A model that generates text; a 400 that says what it does instead where it does not. */
export function requireText(model: NamedModel): ServedModel {
  if (generatesText(model)) return model;
  throw lacking(model, text);
}

/** How a model does something with rows of text; a 400 that says what it does instead where it does not. */
export function requireRows<Wanted extends RowTask>(
  model: NamedModel,
  wanted: Wanted,
): NonNullable<RowContracts[Wanted]> {
  const contract = model.rows[wanted];
  if (!contract) throw lacking(model, rowAbilities[wanted]);
  return contract;
}

/** Every model of vLLM's backend declares the tensors of embeddings, so one that generates text is known by that. */
function lacking({ name, contract, rows }: NamedModel, { lacks }: Task): ApiError {
  const does = contract ? [text] : rowTasks.filter((task) => rows[task]).map((task) => rowAbilities[task]);
  const instead = does.map((task) => `it ${task.does}: POST ${task.endpoint}`).join('; ');
  return new ApiError('invalid_request', `model: ${name} ${lacks}; ${instead}.`, { param: 'model' });
}
