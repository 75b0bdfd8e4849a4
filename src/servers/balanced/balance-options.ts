/** How a server is chosen. */
export type Policy = 'least-load' | 'round-robin' | 'random-of-two' | 'prefix';

/** The operator's settings; durations in milliseconds, 0 for none. They are read again for each request. */
export interface BalanceOptions {
  readonly balance: Policy;
  /** How many times the load of the least loaded server the one with the warm cache may have. */
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
  /** Time between two probes of an engine. */
  readonly engineCheckInterval: number;
}
