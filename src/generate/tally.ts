import type { GenerateEvent } from '../contracts/events.ts';
import type { TokenCounts } from '../request-watch.ts';

/** The counts of a whole request, filled by its choices; the last one to finish reports them. */
export interface Tally {
  /** Undefined when nobody can count the prompt: then there is no usage to report. */
  promptTokens: number | undefined;
  cachedTokens: number | undefined;
  /** Undefined where there was none. */
  reasoningTokens: number | undefined;
  completionTokens: number;
  unfinished: number;
  /** How the answers ended that have. */
  finishReasons: string[];
}

/** The usage, once every answer is finished and where the prompt was counted. */
export function usageOf(tally: Tally): Extract<GenerateEvent, { type: 'usage' }> | undefined {
  const { promptTokens, completionTokens, cachedTokens, reasoningTokens, unfinished } = tally;
  if (unfinished > 0 || promptTokens === undefined) return undefined;
  return { type: 'usage', promptTokens, completionTokens, cachedTokens, reasoningTokens };
}

/** The counts of one try, which may come to nothing: it is never the last to finish. */
export function tallyOfTry(): Tally {
  return {
    promptTokens: undefined,
    cachedTokens: undefined,
    reasoningTokens: undefined,
    completionTokens: 0,
    unfinished: Number.POSITIVE_INFINITY,
    finishReasons: [],
  };
}

/** Adds a try that gave so many answers. */
export function addTry(tally: Tally, tried: Tally, answers: number): void {
  Object.assign(tally, sumOf([tally, tried]));
  tally.unfinished -= answers;
}

/** The counts of a request with those of the tries that run at the moment. */
export function countsWith(tally: Tally, running: ReadonlySet<Tally>): TokenCounts {
  const now = () => sumOf([tally, ...running]);
  return {
    get promptTokens() {
      return now().promptTokens;
    },
    get completionTokens() {
      return now().completionTokens;
    },
    get cachedTokens() {
      return now().cachedTokens;
    },
    get reasoningTokens() {
      return now().reasoningTokens;
    },
    get finishReasons() {
      return now().finishReasons;
    },
  };
}

function sumOf(tallies: readonly Tally[]): Omit<Tally, 'unfinished'> {
  const sum = (key: 'promptTokens' | 'cachedTokens' | 'reasoningTokens'): number | undefined =>
    tallies.reduce<number | undefined>(
      (so, { [key]: more }) => (more === undefined ? so : (so ?? 0) + more),
      undefined,
    );
  return {
    promptTokens: sum('promptTokens'),
    cachedTokens: sum('cachedTokens'),
    reasoningTokens: sum('reasoningTokens'),
    completionTokens: tallies.reduce((so, { completionTokens }) => so + completionTokens, 0),
    finishReasons: tallies.flatMap(({ finishReasons }) => finishReasons),
  };
}
