/** The batches of several streams as they come. The first fault of any ends them all; leaving early ends them too. */
export async function* merge<Item>(
  sources: readonly AsyncIterableIterator<Item[]>[],
): AsyncGenerator<Item[], void, undefined> {
  let ready: Item[] = [];
  let running = sources.length;
  let fault: { readonly error: unknown } | undefined;
  let isOver = false;
  let wakeReader = (): void => undefined;
  let taken = Promise.resolve();
  let wakeSources = (): void => undefined;

  const pump = async (source: AsyncIterableIterator<Item[]>): Promise<void> => {
    try {
      for await (const batch of source) {
        if (isOver) return;
        ready.push(...batch);
        wakeReader();
        await taken;
      }
    } catch (error) {
      fault ??= { error };
    } finally {
      running--;
      wakeReader();
    }
  };

  const renew = (): void => {
    taken = new Promise((resolve) => {
      wakeSources = resolve;
    });
  };

  renew();
  const pumps = sources.map(pump);
  try {
    while (running > 0 || ready.length > 0) {
      if (ready.length === 0 && !fault) {
        await new Promise<void>((resolve) => {
          wakeReader = resolve;
        });
        continue;
      }
      if (ready.length > 0) {
        const batch = ready;
        ready = [];
        yield batch;
        wakeSources();
        renew();
      }
      if (fault) break;
    }
    if (fault) throw fault.error;
  } finally {
    isOver = true;
    wakeSources();
    await Promise.all(sources.map((source) => source.return?.()));
    await Promise.all(pumps);
  }
}
