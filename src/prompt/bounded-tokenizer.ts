import { availableParallelism } from 'node:os';
import { ApiError, endedBy } from '../errors.ts';
import type { Signal } from '../signal.ts';
import type { EncodeOptions, Tokenizer } from '../tokenizer.ts';

/** Runs at most `most` tasks at a time, in the order in which they came. */
export class TaskLimiter {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(most: number) {
    this.#free = most;
  }

  /** Does a task once it is its turn. A cancelled task is not started. */
  async take<Result>(task: () => Promise<Result>, signal?: Signal): Promise<Result> {
    if (this.#free > 0) this.#free--;
    else await this.#turn(signal);
    try {
      if (signal?.aborted) throw endedBy(signal);
      return await task();
    } finally {
      const [next] = this.#waiting;
      if (next) next();
      else this.#free++;
    }
  }

  #turn(signal: Signal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.delete(begin);
        signal?.removeEventListener('abort', giveUp);
      };
      const begin = (): void => {
        leave();
        resolve();
      };
      const giveUp = (): void => {
        leave();
        reject(endedBy(signal as Signal));
      };
      this.#waiting.add(begin);
      if (signal?.aborted) giveUp();
      else signal?.addEventListener('abort', giveUp, { once: true });
    });
  }
}

/** Texts up to this many characters are tokenized at once: that takes a millisecond or two. */
const small = 4096;

/** Larger ones take turns among their like, so that none waits for one that is much longer than itself. */
const large = 65_536;

interface TextLimiters {
  readonly medium: TaskLimiter;
  readonly large: TaskLimiter;
}

/**
 * One core is left to the event loop: threads that tokenize on all of them would hold up every stream. At most two large
 * texts are tokenized at a time, as each takes hundreds of times its bytes.
 */
export function textLimiters(cores: number): TextLimiters {
  const most = Math.max(1, cores - 1);
  return { medium: new TaskLimiter(most), large: new TaskLimiter(Math.min(2, most)) };
}

/** Shared by all models. */
const sharedLimiters = textLimiters(availableParallelism());

/** The same tokenizer for texts of requests: too long ones are refused, and all but short ones take turns. */
export function boundedTokenizer(
  tokenizer: Tokenizer,
  mostBytes: () => number,
  limiters: TextLimiters = sharedLimiters,
): Tokenizer {
  const within = <Result>(text: string, { signal }: EncodeOptions, work: () => Promise<Result>): Promise<Result> => {
    if (text.length <= small) return work();
    const [bytes, most] = [Buffer.byteLength(text), mostBytes()];
    if (bytes > most) return Promise.reject(tooLong(bytes, most));
    return (text.length <= large ? limiters.medium : limiters.large).take(work, signal);
  };
  const encodePair = tokenizer.encodePair?.bind(tokenizer);
  return {
    ...tokenizer,
    encode: (text, options) => within(text, options, () => tokenizer.encode(text, options)),
    count: (text, options) => within(text, options, () => tokenizer.count(text, options)),
    ...(encodePair && {
      encodePair: (first, second, options) => within(first + second, options, () => encodePair(first, second, options)),
    }),
  };
}

function tooLong(bytes: number, most: number): ApiError {
  return new ApiError(
    'context_length_exceeded',
    `The text has ${bytes} bytes; Conch tokenizes at most ${most} (--max-prompt-size). Shorten it.`,
  );
}
