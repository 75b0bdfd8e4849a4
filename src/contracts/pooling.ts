import type { PoolingMethod } from './row-contracts.ts';

/** One vector of the vectors of a row's tokens; those of the padding behind them are left out. */
export function pool(
  figures: Float32Array,
  { width, tokens, method }: { width: number; tokens: number; method: PoolingMethod },
): Float32Array {
  switch (method) {
    case 'cls':
      return figures.slice(0, width);
    case 'last':
      return figures.slice((tokens - 1) * width, tokens * width);
    case 'mean': {
      const mean = new Float64Array(width);
      for (let token = 0; token < tokens; token++)
        for (let at = 0; at < width; at++) mean[at] = (mean[at] as number) + (figures[token * width + at] as number);
      return Float32Array.from(mean, (sum) => sum / tokens);
    }
  }
}

/** The same direction, with length one; a vector of zeros has none and stays. */
export function unit(vector: Float32Array): Float32Array {
  let square = 0;
  for (const figure of vector) square += figure * figure;
  const length = Math.sqrt(square);
  return length > 0 ? vector.map((figure) => figure / length) : vector;
}
