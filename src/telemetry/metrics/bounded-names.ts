/** What stands for all names beyond the bound. */
export const otherName = 'other';

/** Names that may stand in a label: the first so many that come, and `other` for the rest. */
export class BoundedNames {
  readonly #most: number;
  readonly #known = new Set<string>();

  constructor(most: number) {
    this.#most = most;
  }

  label(name: string): string {
    if (this.#known.has(name)) return name;
    if (this.#known.size >= this.#most) return otherName;
    this.#known.add(name);
    return name;
  }
}
