import type { Sampling } from '../contracts/contract.ts';

/** The same sampling with a seed of its own, so that a seeded request with several answers, or tries, is repeatable. */
export function seeded(sampling: Sampling, offset: number): Sampling {
  return sampling.seed === undefined ? sampling : { ...sampling, seed: sampling.seed + offset };
}
