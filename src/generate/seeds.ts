import type { Sampling } from '../contracts/contract.ts';

/** The same sampling with its own seed, so that a seeded request with several choices or tries is repeatable. */
export function seeded(sampling: Sampling, offset: number): Sampling {
  const { seed } = sampling;
  if (seed === undefined) return sampling;
  const sum = typeof seed === 'number' ? seed + offset : undefined;
  if (sum !== undefined && Number.isSafeInteger(sum)) return { ...sampling, seed: sum };
  return { ...sampling, seed: BigInt.asIntN(64, BigInt(seed) + BigInt(offset)) };
}
