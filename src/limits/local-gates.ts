import { type Gate, GateFull, type Gates, type Leave, type Visit } from './gates.ts';

/** Gates of one process, without queues. */
export class LocalGates implements Gates {
  readonly #running = new Map<string, number>();

  async enter({ name, running: most }: Gate, { signal }: Visit): Promise<Leave> {
    signal.throwIfAborted();
    const running = this.#running.get(name) ?? 0;
    if (running >= most) throw new GateFull(name, 1);
    this.#running.set(name, running + 1);
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      const left = (this.#running.get(name) ?? 1) - 1;
      if (left === 0) this.#running.delete(name);
      else this.#running.set(name, left);
    };
  }
}
