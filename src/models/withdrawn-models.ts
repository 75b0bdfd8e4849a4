/** Models that get no requests because they are being unloaded. */
export class WithdrawnModels {
  /** How many times each was withdrawn. */
  readonly #counts = new Map<string, number>();

  has(root: string): boolean {
    return this.#counts.has(root);
  }

  add(roots: readonly string[]): void {
    for (const root of roots) this.#counts.set(root, (this.#counts.get(root) ?? 0) + 1);
  }

  remove(roots: readonly string[]): void {
    for (const root of roots) {
      const remaining = (this.#counts.get(root) ?? 1) - 1;
      if (remaining === 0) this.#counts.delete(root);
      else this.#counts.set(root, remaining);
    }
  }
}
