import type { Structure, WrittenGuide } from './contract.ts';

interface CacheLimits {
  /** How many guides are stored. */
  readonly most: number;
  /** Structures and guides whose JSON text has more characters are not stored. */
  readonly longest: number;
}

/** The guides that were written last, by the JSON text of the requested structure. */
export class GuideCache {
  readonly #limits: CacheLimits;
  readonly #guides = new Map<string, WrittenGuide>();

  constructor(limits: CacheLimits) {
    this.#limits = limits;
  }

  guide(structure: Structure, write: (structure: Structure) => WrittenGuide): WrittenGuide {
    const key = JSON.stringify(structure);
    if (key.length > this.#limits.longest) return write(structure);
    const known = this.#guides.get(key);
    const guide = known ?? write(structure);
    if (!known && JSON.stringify(guide.structure).length > this.#limits.longest) return guide;
    // A map is in the order of insertion: the guide that was used last goes to the end.
    this.#guides.delete(key);
    this.#guides.set(key, guide);
    const [oldest] = this.#guides.keys();
    if (this.#guides.size > this.#limits.most && oldest !== undefined) this.#guides.delete(oldest);
    return guide;
  }
}
