import type { RerankContract } from '../contracts/row-contracts.ts';
import type { PairSides } from '../requests/score-request.ts';
import type { Signal } from '../signal.ts';
import { planPairs } from './rerank.ts';
import { type ReadyRows, type RowsContext, type RowsOutcome, type RowsPlan, readyRows, runRows } from './rows.ts';

/** Scores pairs of texts, in their order. */
export async function score(
  model: string,
  sides: PairSides,
  context: RowsContext,
  signal: Signal,
): Promise<RowsOutcome<number>> {
  return runRows(planScore(sides, await readyRows(model, 'rerank', context)), context, signal);
}

/** Decides how pairs are scored: one text with each of several, or the same number on both sides. */
export function planScore({ first, second }: PairSides, ready: ReadyRows<RerankContract>): RowsPlan<number> {
  const isOne = first.texts.length === 1;
  const firstOf = (row: number): string => first.texts[isOne ? 0 : row] as string;
  const pairs = {
    idPrefix: 'score',
    inputs: second.texts.map((text, row) => ({ pair: [firstOf(row), text] as const, mostOfSecond: undefined })),
    field: second.field,
    pathOf: (row: number) => (second.isList ? `${second.field}[${row}]` : second.field),
    tooLong: { counted: `tokens together with ${first.field}`, remedy: 'Shorten one of them.' },
  } as const;
  return planPairs(pairs, ready);
}
