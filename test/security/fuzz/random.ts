import { Random as Seeded } from '../../../src/bench/random.ts';

/** Chance that can be had again: the same seed gives the same run. */
export class Random extends Seeded {
  pick<Item>(items: readonly Item[]): Item {
    const [picked] = items.slice(this.below(items.length));
    if (picked === undefined) throw new Error('There is nothing to pick from.');
    return picked;
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  times<Item>(most: number, make: () => Item): Item[] {
    return Array.from({ length: this.below(most + 1) }, make);
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)));
  }
}
