import type { RowContracts, RowsContract, RowTask } from '../contracts/row-contracts.ts';
import { requireRows } from '../models/abilities.ts';
import type { NamedModel } from '../models/served-model.ts';
import type { PromptAssets } from '../prompt/assets.ts';
import { during, type RequestWatch } from '../request-watch.ts';
import type { Signal } from '../signal.ts';
import { responseId } from './completion-options.ts';
import { inferRows, type RowReading } from './infer-rows.ts';
import { type RowInput, type TooLongWords, tokenizeRows } from './row-inputs.ts';

/** What embedding, rerank, score and classify requests need from outside the request. */
export interface RowsContext {
  /** The model of this name, whatever it can do. */
  readonly findModel: (name: string) => NamedModel;
  /** Observes the request. */
  readonly watch: RequestWatch;
  /** Milliseconds; undefined: no limit. */
  readonly timeout: number | undefined;
}

/** A model with everything that a plan needs. */
export interface ReadyRows<Contract extends RowsContract> {
  readonly model: NamedModel;
  readonly contract: Contract;
  readonly assets: PromptAssets;
}

/** Everything that is decided about a request before its texts are tokenized. Each row has one input and one result. */
export interface RowsPlan<Result> {
  /** What the id of the response starts with. */
  readonly idPrefix: Parameters<typeof responseId>[0];
  readonly model: NamedModel;
  readonly contract: RowsContract;
  readonly assets: Pick<PromptAssets, 'tokenizer' | 'padTokenId'>;
  readonly inputs: readonly RowInput[];
  /** The request field of the rows, and the path of each row in it. */
  readonly field: string;
  readonly pathOf: (row: number) => string;
  /** The error text for a row with too many tokens; left out: the default. */
  readonly tooLong?: TooLongWords;
  /** How many values a row must have, or each of its tokens; undefined: as many as the first one. */
  readonly width: number | undefined;
  /** Makes the result of a row, or refuses what the model returned for it. */
  readonly finish: (reading: RowReading, refuse: (reason: string) => never) => Result;
}

/** The outcome of a plan: a result for each row, in their order, and the number of tokens, if known. */
export interface RowsOutcome<Result> {
  readonly id: string;
  readonly results: readonly Result[];
  readonly promptTokens: number | undefined;
}

/** The model of a request with its assets; a model without this task is a 400 that names what it can do. */
export async function readyRows<Task extends RowTask>(
  name: string,
  task: Task,
  { findModel }: Pick<RowsContext, 'findModel'>,
): Promise<ReadyRows<NonNullable<RowContracts[Task]>>> {
  const model = findModel(name);
  const contract = requireRows(model, task);
  return { model, contract, assets: await model.assets() };
}

/** Tokenizes the inputs, sends them in batches, and reads a result for each. */
export async function runRows<Result>(
  plan: RowsPlan<Result>,
  { watch, timeout }: Pick<RowsContext, 'watch' | 'timeout'>,
  signal: Signal,
): Promise<RowsOutcome<Result>> {
  const { model, assets, inputs } = plan;
  const id = responseId(plan.idPrefix);
  const context = { ...plan, name: model.name, tokenizer: assets.tokenizer, longest: model.contextLength() };
  const { rows, tokens } = await during(watch, 'tokenize', () => tokenizeRows(inputs, context, signal));
  const counts = { promptTokens: sumOf(tokens), completionTokens: 0 };
  watch.counts(counts);
  const counted = [...tokens];
  const results = await inferRows(rows, {
    ...plan,
    requestId: id,
    padId: assets.padTokenId,
    signal,
    watch,
    timeout,
    finish: (reading, refuse) => {
      counted[reading.row] = reading.tokens ?? counted[reading.row];
      return plan.finish(reading, refuse);
    },
  });
  counts.promptTokens = sumOf(counted);
  return { id, results, promptTokens: counts.promptTokens };
}

/** The error text for NaN or infinite values. */
export const noNumbers = 'the model returned values that are not finite (NaN or infinity)';

/** The sum of counts; undefined if one of them is unknown. */
function sumOf(counts: readonly (number | undefined)[]): number | undefined {
  let sum = 0;
  for (const count of counts) {
    if (count === undefined) return undefined;
    sum += count;
  }
  return sum;
}
