import type { BalanceOptions } from '../../src/servers/balanced/balance-options.ts';
import { Balancer } from '../../src/servers/balanced/balancer.ts';

/** Settings of a balancer for tests: nothing takes time that is not asked for. */
export const calmOptions: BalanceOptions = {
  balance: 'least-load',
  prefixOverload: 2,
  retries: 2,
  retryBudget: 20,
  firstTokenTimeout: 0,
  idleTimeout: 0,
  breakerFailures: 5,
  breakerBackoff: 1000,
  ejectionTime: 0,
  slowStart: 0,
  engineCheckInterval: 30_000,
};

/** A balancer with these settings, without chance. */
export function balancerWith(changes: Partial<BalanceOptions> = {}): Balancer {
  return new Balancer(
    () => ({ ...calmOptions, ...changes }),
    () => 0.5,
  );
}
