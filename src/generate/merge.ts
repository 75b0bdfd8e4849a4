/** The batches of several streams as they come. The first fault of any ends them all; leaving early ends them too. */
export async function* merge<Item>(
  sources: readonly AsyncIterableIterator<Item[]>[],
): AsyncGenerator<Item[], void, undefined> {
  const meeting = new Meeting<Item>(sources.length);
  const pumps = sources.map((source) => meeting.pump(source));
  try {
    for (let batch = await meeting.next(); batch; batch = await meeting.next()) yield batch;
  } finally {
    meeting.close();
    await Promise.all(sources.map(async (source) => source.return?.()));
    await Promise.all(pumps);
  }
}

/** Where the streams put their batches and the reader takes them; a stream waits until its last batch was taken. */
class Meeting<Item> {
  #ready: Item[] = [];
  #running: number;
  #fault: { readonly error: unknown } | undefined;
  #isClosed = false;
  #reader = pending();
  #taken = pending();

  constructor(sources: number) {
    this.#running = sources;
  }

  async pump(source: AsyncIterableIterator<Item[]>): Promise<void> {
    try {
      for await (const batch of source) {
        if (this.#isClosed) return;
        this.#ready.push(...batch);
        this.#reader.resolve();
        await this.#taken.promise;
      }
    } catch (error) {
      this.#fault ??= { error };
    } finally {
      this.#running--;
      this.#reader.resolve();
    }
  }

  /** All that came since the last batch, or undefined at the end. What came before a fault is given before it is thrown. */
  async next(): Promise<Item[] | undefined> {
    this.#taken.resolve();
    this.#taken = pending();
    while (this.#ready.length === 0) {
      if (this.#fault) throw this.#fault.error;
      if (this.#running === 0) return undefined;
      this.#reader = pending();
      await this.#reader.promise;
    }
    const batch = this.#ready;
    this.#ready = [];
    return batch;
  }

  close(): void {
    this.#isClosed = true;
    this.#taken.resolve();
  }
}

function pending(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
