import type { GenerateEvent } from '../contracts/events.ts';
import type { EngineTimes, TokenCounts } from '../request-watch.ts';

/** The counts of a whole request, filled by its choices; the last one to finish reports them. */
export interface Tally {
  /** Undefined if the prompt cannot be counted: then there is no usage to report. */
  promptTokens: number | undefined;
  /** Settles when they are known, if Conch counts them while the inferences run. */
  countingPrompt?: Promise<void> | undefined;
  /** Gets the backend's count, for a comparison with ours. */
  onPromptTokens?: ((count: number) => void) | undefined;
  cachedTokens: number | undefined;
  /** Undefined where there was none. */
  reasoningTokens: number | undefined;
  /** Undefined where there was no speculative decoding. */
  draftTokens?: number | undefined;
  acceptedTokens?: number | undefined;
  /** Undefined where the engine does not report them. */
  engineTimes?: EngineTimes | undefined;
  cacheHitRate?: number | undefined;
  completionTokens: number;
  unfinished: number;
  /** The finish reasons of the finished choices. */
  finishReasons: string[];
}

/** The usage, once every choice is finished and if the prompt was counted; called for each finished choice. */
export function usageOf(tally: Tally): Extract<GenerateEvent, { type: 'usage' }> | undefined {
  const { promptTokens, completionTokens, cachedTokens, reasoningTokens, unfinished } = tally;
  const { draftTokens, acceptedTokens } = tally;
  if (unfinished > 0 || promptTokens === undefined) return undefined;
  tally.onPromptTokens?.(promptTokens);
  const usage = { promptTokens, completionTokens, cachedTokens, reasoningTokens, draftTokens, acceptedTokens };
  return { type: 'usage', ...usage };
}

/** The counts of one try, which may fail: it never reports the usage. */
export function tallyOfTry(): Tally {
  return {
    promptTokens: undefined,
    countingPrompt: undefined,
    onPromptTokens: undefined,
    cachedTokens: undefined,
    reasoningTokens: undefined,
    draftTokens: undefined,
    acceptedTokens: undefined,
    engineTimes: undefined,
    cacheHitRate: undefined,
    completionTokens: 0,
    unfinished: Number.POSITIVE_INFINITY,
    finishReasons: [],
  };
}

/** Adds a try with this number of choices. */
export function addTry(tally: Tally, tried: Tally, choices: number): void {
  tally.promptTokens = sum(tally.promptTokens, tried.promptTokens);
  tally.cachedTokens = sum(tally.cachedTokens, tried.cachedTokens);
  tally.reasoningTokens = sum(tally.reasoningTokens, tried.reasoningTokens);
  addDrafts(tally, tried);
  addTimes(tally, tried.engineTimes);
  addHitRate(tally, tried.cacheHitRate);
  tally.completionTokens += tried.completionTokens;
  tally.finishReasons.push(...tried.finishReasons);
  tally.unfinished -= choices;
}

/** Adds tokens of speculative decoding. */
export function addDrafts(tally: Tally, { draftTokens, acceptedTokens }: Partial<Tally>): void {
  tally.draftTokens = sum(tally.draftTokens, draftTokens);
  tally.acceptedTokens = sum(tally.acceptedTokens, acceptedTokens);
}

/** Adds the times of an inference. Inferences may run at the same time, so the longest times count. */
export function addTimes(tally: Tally, times: EngineTimes | undefined): void {
  tally.engineTimes = longest(tally.engineTimes, times);
}

/** Adds the share of a prompt that was cached. Of several inferences, the lowest counts. */
export function addHitRate(tally: Tally, rate: number | undefined): void {
  tally.cacheHitRate = lowest(tally.cacheHitRate, rate);
}

function lowest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}

function longest(one: EngineTimes | undefined, other: EngineTimes | undefined): EngineTimes | undefined {
  if (!one || !other) return one ?? other;
  return {
    queue: Math.max(one.queue, other.queue),
    prefill: Math.max(one.prefill, other.prefill),
    decode: Math.max(one.decode, other.decode),
  };
}

/**
 * The counts of a request with those of its running tries. A class: getters of an object literal become
 * part of its hidden class, which is old from the start and would keep all that they can reach.
 */
export class RunningCounts implements TokenCounts {
  readonly #tally: Tally;
  readonly #running: ReadonlySet<Tally>;

  constructor(tally: Tally, running: ReadonlySet<Tally>) {
    this.#tally = tally;
    this.#running = running;
  }

  get promptTokens(): number | undefined {
    return this.#sum('promptTokens');
  }

  get completionTokens(): number {
    return this.#sum('completionTokens') ?? 0;
  }

  get cachedTokens(): number | undefined {
    return this.#sum('cachedTokens');
  }

  get reasoningTokens(): number | undefined {
    return this.#sum('reasoningTokens');
  }

  get draftTokens(): number | undefined {
    return this.#sum('draftTokens');
  }

  get acceptedTokens(): number | undefined {
    return this.#sum('acceptedTokens');
  }

  get engineTimes(): EngineTimes | undefined {
    let times = this.#tally.engineTimes;
    for (const { engineTimes } of this.#running) times = longest(times, engineTimes);
    return times;
  }

  get cacheHitRate(): number | undefined {
    let rate = this.#tally.cacheHitRate;
    for (const { cacheHitRate } of this.#running) rate = lowest(rate, cacheHitRate);
    return rate;
  }

  get finishReasons(): readonly string[] {
    if (this.#running.size === 0) return this.#tally.finishReasons;
    return [this.#tally, ...this.#running].flatMap(({ finishReasons }) => finishReasons);
  }

  #sum(name: CountName): number | undefined {
    let all = this.#tally[name];
    for (const tally of this.#running) all = sum(all, tally[name]);
    return all;
  }
}

type CountName =
  | 'promptTokens'
  | 'completionTokens'
  | 'cachedTokens'
  | 'reasoningTokens'
  | 'draftTokens'
  | 'acceptedTokens';

/** The sum of what is known; undefined if nothing is. */
function sum(one: number | undefined, other: number | undefined): number | undefined {
  return other === undefined ? one : (one ?? 0) + other;
}
