import type { FoundModel } from './discovery.ts';
import { contractsOf } from './fit.ts';

/** Models that cannot serve requests: parts of others, and models for other tasks. */
export class UnfitModels {
  readonly #names = new Set<string>();

  /** What was detected for a ready model stays valid until it is ready again. */
  see(found: readonly FoundModel[]): void {
    const ready = found.flatMap(({ name, ready: model }) => (model ? [{ name, can: contractsOf(model) }] : []));
    for (const { name } of ready) this.#names.add(name);
    for (const { name, can } of ready) if (can) this.#names.delete(name);
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  clear(): void {
    this.#names.clear();
  }
}
