/** A stream whose first read fails: for a server that can tell at once that it cannot answer. */
export function failingStream(fault: unknown): AsyncIterableIterator<never> {
  let isRead = false;
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next() {
      if (isRead) return Promise.resolve({ done: true, value: undefined });
      isRead = true;
      return Promise.reject(fault);
    },
    return() {
      isRead = true;
      return Promise.resolve({ done: true, value: undefined });
    },
  };
}
