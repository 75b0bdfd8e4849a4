/** The errors of requests that Conch has retried itself, on other servers or on the same one. */
const retried = new WeakSet<object>();

/** Marks the error of a request that was retried and failed again. */
export function markRetried(error: unknown): void {
  if (typeof error === 'object' && error !== null) retried.add(error);
}

/** Whether the request of this error was retried, so that clients need not do it too. */
export function wasRetried(error: unknown): boolean {
  return typeof error === 'object' && error !== null && retried.has(error);
}
