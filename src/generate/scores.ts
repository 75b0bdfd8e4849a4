import type { Activation } from '../contracts/row-contracts.ts';

/** The score of a row, from one of its values. */
export function scoreOf(
  figures: Float32Array,
  { activation, label }: { readonly activation: Activation; readonly label: number },
): number {
  const figure = figures[label] as number;
  switch (activation) {
    case 'none':
      return figure;
    case 'sigmoid':
      return sigmoid(figure);
    case 'softmax':
      return 1 / figures.reduce((sum, other) => sum + Math.exp(other - figure), 0);
  }
}

/** The scores of a row, from all of its values. */
export function scoresOf(figures: Float32Array, activation: Activation): number[] {
  if (activation !== 'softmax') return Array.from(figures, activation === 'none' ? (figure) => figure : sigmoid);
  const most = figures.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const powers = Array.from(figures, (figure) => Math.exp(figure - most));
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((power) => power / sum);
}

function sigmoid(figure: number): number {
  return 1 / (1 + Math.exp(-figure));
}
