import type { RowContracts, RowsContract, RowTask } from '../contracts/row-contracts.ts';
import { requireRows } from '../models/abilities.ts';
import type { NamedModel } from '../models/served-model.ts';
import type { PromptAssets } from '../prompt/assets.ts';
import { during, type RequestWatch } from '../request-watch.ts';
import type { Signal } from '../signal.ts';
import { answerId } from './answer-options.ts';
import { inferRows, type RowReading } from './infer-rows.ts';
import { type RowInput, type TooLongWords, tokenizeRows } from './row-inputs.ts';

/** What requests for figures of texts need from outside the request. */
export interface RowsContext {
  /** The model of this name, whatever it can do. */
  readonly findModel: (name: string) => NamedModel;
  /** Hears how the request goes. */
  readonly watch: RequestWatch;
  /** Milliseconds; undefined: no limit. */
  readonly timeout: number | undefined;
}

/** A model with all that a plan is made from. */
export interface ReadyRows<Contract extends RowsContract> {
  readonly model: NamedModel;
  readonly contract: Contract;
  readonly assets: PromptAssets;
}

/** All that is decided about a request before its texts are tokenized: one input for each row, one result for each. */
export interface RowsPlan<Result> {
  /** What the id of the response begins with. */
  readonly idPrefix: Parameters<typeof answerId>[0];
  readonly model: NamedModel;
  readonly contract: RowsContract;
  readonly assets: Pick<PromptAssets, 'tokenizer' | 'padTokenId'>;
  readonly inputs: readonly RowInput[];
  /** The request field that the rows come from, and the place of each in it. */
  readonly field: string;
  readonly placeOf: (row: number) => string;
  /** What is said of a row with too many tokens; left out: the usual. */
  readonly tooLong?: TooLongWords;
  /** How many figures a row must have, or each of its tokens; undefined: as many as the first one. */
  readonly width: number | undefined;
  /** What is kept of a row, or a refusal of what the model gave for it. */
  readonly finish: (reading: RowReading, refuse: (reason: string) => never) => Result;
}

/** What came of a plan: a result for each row, in their order, and how many tokens they had, where somebody counted. */
export interface RowsOutcome<Result> {
  readonly id: string;
  readonly results: readonly Result[];
  readonly promptTokens: number | undefined;
}

/** The model of a request with what it has loaded; a 400 that says what it can do where it is not this. */
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
  const id = answerId(plan.idPrefix);
  const place = { ...plan, name: model.name, tokenizer: assets.tokenizer, longest: model.contextLength() };
  const { rows, tokens } = await during(watch, 'tokenize', () => tokenizeRows(inputs, place, signal));
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

/** Said of a model whose figures are NaN or infinite. */
export const noNumbers = 'the model gave figures that are no numbers (NaN or infinity)';

/** The sum of counts; undefined where one of them is not known. */
function sumOf(counts: readonly (number | undefined)[]): number | undefined {
  let sum = 0;
  for (const count of counts) {
    if (count === undefined) return undefined;
    sum += count;
  }
  return sum;
}
