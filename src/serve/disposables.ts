/** Open resources that are closed together: at the end, or when a later step of a start fails. */
export class Disposables {
  readonly #closers: (() => unknown)[] = [];

  /** Returns the resource. */
  add<Resource extends { close(): unknown }>(resource: Resource): Resource {
    this.#closers.push(() => resource.close());
    return resource;
  }

  async close(): Promise<void> {
    await Promise.all(this.#closers.map((close) => close()));
  }
}

/** Runs a start. If it fails, everything that it added is closed. */
export async function withDisposables<Result>(start: (disposables: Disposables) => Promise<Result>): Promise<Result> {
  const disposables = new Disposables();
  try {
    return await start(disposables);
  } catch (error) {
    await disposables.close();
    throw error;
  }
}
