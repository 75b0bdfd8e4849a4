import type { UsageChange } from './level-report.ts';
import { type ProcessUsage, usageOf, type WatchedProcess } from './process-usage.ts';

const sampleMilliseconds = 200;

/** Reads the usage of processes at the start and end of a measurement, and samples their memory in between. */
export class Watch {
  readonly #watched: readonly WatchedProcess[];
  #before: (ProcessUsage | undefined)[] = [];
  #peaks: number[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(watched: readonly WatchedProcess[]) {
    this.#watched = watched;
  }

  begin(): void {
    this.#before = this.#watched.map(({ pid }) => usageOf(pid));
    this.#peaks = this.#watched.map(() => 0);
    if (this.#watched.length > 0) this.#timer = setInterval(() => this.#sample(), sampleMilliseconds);
  }

  /** A process that ended meanwhile has no usage. */
  end(): UsageChange[] {
    clearInterval(this.#timer);
    return this.#watched.flatMap((process, index) => {
      const before = this.#before[index];
      const after = usageOf(process.pid);
      if (before === undefined || after === undefined) return [];
      return [{ ...process, before, after, peakMegabytes: this.#peaks[index] ?? 0 }];
    });
  }

  #sample(): void {
    for (const [index, { pid }] of this.#watched.entries())
      this.#peaks[index] = Math.max(this.#peaks[index] ?? 0, usageOf(pid)?.residentMegabytes ?? 0);
  }
}
