/** How a server is chosen. */
export type Policy = 'least-load' | 'round-robin' | 'random-of-two' | 'prefix';

/** What the operator has set; durations in milliseconds, 0 for none. It is read anew for each request. */
export interface BalanceOptions {
  readonly balance: Policy;
  /** So many times the load of the least loaded server may the one with the warm cache have. */
  readonly prefixOverload: number;
  readonly retries: number;
  /** Retries per hundred requests. */
  readonly retryBudget: number;
  readonly firstTokenTimeout: number;
  readonly idleTimeout: number;
  readonly breakerFailures: number;
  readonly breakerBackoff: number;
  readonly ejectionTime: number;
  readonly slowStart: number;
  /** Between two probes of an engine. */
  readonly engineCheckInterval: number;
}
