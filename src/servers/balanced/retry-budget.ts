const seconds = 10;

/** Retries per second that are always allowed, so that a gateway with few requests retries at all. */
const floorPerSecond = 10;

interface Second {
  readonly number: number;
  requests: number;
  retries: number;
}

/** Limits retries to a share of the requests of the last seconds, so that they do not overload failing servers. */
export class RetryBudget {
  #seconds: Second[] = [];

  request(now: number): void {
    this.#at(now).requests++;
  }

  /** Counts one more retry if it is within the share, a number from 0 to 1. Returns whether it is. */
  take(now: number, share: number): boolean {
    const current = this.#at(now);
    let requests = 0;
    let retries = 0;
    for (const second of this.#seconds) {
      requests += second.requests;
      retries += second.retries;
    }
    if (share === 0 || retries >= requests * share + floorPerSecond * seconds) return false;
    current.retries++;
    return true;
  }

  #at(now: number): Second {
    const number = Math.floor(now / 1000);
    const last = this.#seconds.at(-1);
    if (last?.number === number) return last;
    while (this.#seconds[0] && this.#seconds[0].number <= number - seconds) this.#seconds.shift();
    const added = { number, requests: 0, retries: 0 };
    this.#seconds.push(added);
    return added;
  }
}
