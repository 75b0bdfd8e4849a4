import { labelsContract } from '../contracts/class-labels.ts';
import type { ClassifyContract } from '../contracts/row-contracts.ts';
import { noWatch } from '../request-watch.ts';
import type { EmbeddingInput } from '../requests/embedding-request.ts';
import type { Signal } from '../signal.ts';
import { inputRows } from './embedding.ts';
import { noNumbers, type ReadyRows, type RowsContext, type RowsPlan, readyRows, runRows } from './rows.ts';
import { scoresOf } from './scores.ts';

/** Texts or token ids to classify. */
interface ClassRequest {
  readonly model: string;
  readonly input: EmbeddingInput;
}

/** The class of one text. */
export interface TextClass {
  /** The name of the best class, or its number if classes have no names. */
  readonly label: string;
  /** The score of each class. */
  readonly scores: readonly number[];
}

/** Finds the class of each input. */
export async function classify(request: ClassRequest, context: RowsContext, signal: Signal) {
  const found = await readyRows(request.model, 'classify', context);
  const labels = await labelsOf(request, found, context, signal);
  const plan = planClassify(request, { ...found, contract: { ...found.contract, labels } });
  const { id, results: classes, promptTokens } = await runRows(plan, context, signal);
  return { id, classes, promptTokens };
}

/** Decides how each input is classified. */
export function planClassify(
  { input }: Pick<ClassRequest, 'input'>,
  { model, contract, assets }: ReadyRows<ClassifyContract>,
): RowsPlan<TextClass> {
  const { activation, labels } = contract;
  return {
    idPrefix: 'classify',
    model,
    contract,
    assets,
    ...inputRows(input),
    width: contract.width,
    finish: ({ figures, width, expected }, refuse) => {
      if (width !== expected) return refuse(`the model returned ${width} values, not ${expected}`);
      if (!figures.every(Number.isFinite)) return refuse(noNumbers);
      const scores = scoresOf(figures, activation);
      const best = figures.reduce((found, figure, at) => (figure > (figures[found] as number) ? at : found), 0);
      return { label: labels?.[best] ?? `LABEL_${best}`, scores };
    },
  };
}

/** Class names that servers sent. A model whose configuration is read again has a new contract and is asked again. */
const fileLabels = new WeakMap<ClassifyContract, readonly string[]>();

/** The class names of a model. Those of a label file come with a classification: of the first input, once. */
async function labelsOf(
  { input }: ClassRequest,
  ready: ReadyRows<ClassifyContract>,
  { timeout }: RowsContext,
  signal: Signal,
): Promise<readonly string[] | undefined> {
  const { contract } = ready;
  const known = contract.labels ?? fileLabels.get(contract);
  if (known || !contract.hasLabelFile) return known;
  const { inputs, ...paths } = inputRows(input);
  const plan: RowsPlan<readonly string[]> = {
    ...ready,
    ...paths,
    idPrefix: 'classify',
    contract: labelsContract(contract),
    inputs: inputs.slice(0, 1),
    width: undefined,
    finish: ({ labels = [] }) => labels,
  };
  const { results } = await runRows(plan, { watch: noWatch, timeout }, signal);
  const labels = results[0] ?? [];
  fileLabels.set(contract, labels);
  return labels;
}
