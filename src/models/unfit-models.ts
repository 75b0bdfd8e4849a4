import type { FoundModel } from './discovery.ts';
import { contractsOf } from './fit.ts';

/** Models that cannot answer requests: parts of others, and such that compute something else. */
export class UnfitModels {
  readonly #names = new Set<string>();

  /** What a model was found to be while it was ready holds until it is ready again. */
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
