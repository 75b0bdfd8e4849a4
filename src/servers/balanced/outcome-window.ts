const span = 5_000;
const spans = 6;

interface Span {
  readonly number: number;
  good: number;
  bad: number;
}

/** How many of the last half minute's inferences failed. */
export class OutcomeWindow {
  #spans: Span[] = [];

  add(now: number, isGood: boolean): void {
    const current = this.#at(now);
    if (isGood) current.good++;
    else current.bad++;
  }

  totals(now: number): { readonly count: number; readonly failureRate: number } {
    this.#forget(now);
    let good = 0;
    let bad = 0;
    for (const part of this.#spans) {
      good += part.good;
      bad += part.bad;
    }
    const count = good + bad;
    return { count, failureRate: count === 0 ? 0 : bad / count };
  }

  clear(): void {
    this.#spans = [];
  }

  #at(now: number): Span {
    const number = Math.floor(now / span);
    const last = this.#spans.at(-1);
    if (last?.number === number) return last;
    this.#forget(now);
    const added = { number, good: 0, bad: 0 };
    this.#spans.push(added);
    return added;
  }

  #forget(now: number): void {
    const oldest = Math.floor(now / span) - spans + 1;
    while (this.#spans[0] && this.#spans[0].number < oldest) this.#spans.shift();
  }
}
