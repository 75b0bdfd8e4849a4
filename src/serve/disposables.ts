/** What was opened so far, to be closed together: at the end, or when a later step of a start fails. */
export class Opened {
  readonly #closers: (() => unknown)[] = [];

  /** Gives back what was opened. */
  add<Thing extends { close(): unknown }>(thing: Thing): Thing {
    this.#closers.push(() => thing.close());
    return thing;
  }

  async close(): Promise<void> {
    await Promise.all(this.#closers.map((close) => close()));
  }
}

/** Puts something together out of what is opened; where that fails, nothing stays open. */
export async function whole<Result>(open: (opened: Opened) => Promise<Result>): Promise<Result> {
  const opened = new Opened();
  try {
    return await open(opened);
  } catch (error) {
    await opened.close();
    throw error;
  }
}
