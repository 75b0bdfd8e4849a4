import type { ClassifyContract } from '../contracts/row-contracts.ts';
import type { EmbeddingInput } from '../requests/embedding-request.ts';
import { inputRows } from './embedding.ts';
import { noNumbers, type ReadyRows, type RowsContext, type RowsPlan, readyRows, runRows } from './rows.ts';
import { scoresOf } from './scores.ts';

/** Texts or token ids to be sorted into the classes of a model. */
interface ClassRequest {
  readonly model: string;
  readonly input: EmbeddingInput;
}

/** The class of one text. */
export interface TextClass {
  /** The best class by its name, or by its number where classes have no names. */
  readonly label: string;
  /** The score of each class. */
  readonly scores: readonly number[];
}

/** Finds the class of each input. */
export async function classify(request: ClassRequest, context: RowsContext, signal: AbortSignal) {
  const plan = planClassify(request, await readyRows(request.model, 'classify', context));
  const { id, results: classes, promptTokens } = await runRows(plan, context, signal);
  return { id, classes, promptTokens };
}

/** Decides how each input is sorted into classes. */
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
      if (width !== expected) return refuse(`the model gave ${width} figures, not ${expected}`);
      if (!figures.every(Number.isFinite)) return refuse(noNumbers);
      const scores = scoresOf(figures, activation);
      const best = scores.indexOf(Math.max(...scores));
      return { label: labels?.[best] ?? `LABEL_${best}`, scores };
    },
  };
}
