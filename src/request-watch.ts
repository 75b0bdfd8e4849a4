/** Tokens of a generation, which grow while it runs. */
export interface TokenCounts {
  /** Undefined where nobody can count them. */
  readonly promptTokens: number | undefined;
  readonly completionTokens: number;
  readonly cachedTokens?: number | undefined;
  readonly reasoningTokens?: number | undefined;
  /** How the answers ended that have. */
  readonly finishReasons?: readonly string[];
}

/** The tokens of a request so far. */
export interface TokenSum {
  readonly prompt: number;
  readonly completion: number;
}

/** The parts of the work for a request that are timed. */
export type Phase = 'queue' | 'template' | 'tokenize' | 'infer';

/** An inference that begins. */
export interface InferenceFacts {
  readonly server: string;
  /** The model's name on that server. */
  readonly model: string;
  /** The most tokens that it may generate; undefined where nobody says. */
  readonly maxTokens: number | undefined;
}

/** Hears how an inference goes. */
export interface InferenceWatch {
  /** Headers for the server, such as the context of a trace. */
  readonly headers: Readonly<Record<string, string>>;
  /** The first response is there. */
  first(): void;
  /** It is over: complete, left, or with a fault; `retried` where another one is begun in its place. Called once. */
  end(fault?: unknown): void;
}

/** The fault of an inference that is begun again. */
export const retried = 'retried';

/** Hears how a request goes, for metrics, traces, the log and what is charged. Nothing of it is called for a token. */
export interface RequestWatch {
  /** A part of the work begins; the function that it gives says that it is over. */
  begin(phase: Phase): () => void;
  /** An inference begins; a request may have several, one after another or at the same time. */
  inference(facts: InferenceFacts): InferenceWatch;
  /** Counts that belong to the request; they are read when they are needed, at the latest at its end. */
  counts(counts: TokenCounts): void;
  /** Something of a streamed response was handed to the client's connection at this time (`performance.now()`). */
  flushed(now: number): void;
  /** What its counts come to now. */
  tokens(): TokenSum;
}

type Watching = Pick<RequestWatch, 'begin'>;

/** Does a part of the work, and says how long it took. */
export function during<Result>(watch: Watching, phase: Phase, work: () => Promise<Result>): Promise<Result>;
export function during<Result>(
  watch: Watching,
  phase: Phase,
  work: () => Result | Promise<Result>,
): Result | Promise<Result>;
export function during<Result>(
  watch: Watching,
  phase: Phase,
  work: () => Result | Promise<Result>,
): Result | Promise<Result> {
  const end = watch.begin(phase);
  let result: Result | Promise<Result> | undefined;
  try {
    result = work();
    return result instanceof Promise ? result.finally(end) : result;
  } finally {
    if (!(result instanceof Promise)) end();
  }
}

/** What is known of a request when it comes in. */
export interface RequestFacts {
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  /** The pattern of its path; undefined where no route takes it. */
  readonly route: string | undefined;
  /** The operation name of OpenTelemetry's conventions for generative AI; left out where no model runs. */
  readonly operation?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Whether it came over TLS. */
  readonly isSecure?: boolean;
}

/** How a request ended. */
export interface RequestOutcome {
  /** The HTTP status; 499 for a client that left. */
  readonly status: number;
  /** The code of the error table; undefined without a fault. */
  readonly code: string | undefined;
  /** Whether nobody waited for the rest of the answer. */
  readonly hasLeft: boolean;
  /** The name of the key that it came with. */
  readonly key: string | undefined;
}

/** A request from its beginning to its end. */
export interface RequestRecord extends RequestWatch {
  /** The pattern of its path. */
  route: string | undefined;
  /** What it asks for is known. Of the request's fields, only numbers of sampling are kept. */
  asks(model: string, request?: Readonly<Record<string, unknown>>): void;
  /** The answer has this id. */
  answers(id: string): void;
  /** Headers that carry the context of its trace on. */
  readonly context: Readonly<Record<string, string>>;
  /** What is known of its times, as the header Server-Timing has them. */
  timing(): string;
  /** A record for work that goes on when the request is answered. */
  goesOn(): RequestRecord;
  /** It is over; gives what the log says of it. Called once. */
  end(outcome: RequestOutcome): Readonly<Record<string, string | number>>;
}

/** Makes the record of a request. */
export type Recorder = (facts: RequestFacts) => RequestRecord;

const nothing = (): void => undefined;
const unwatchedInference: InferenceWatch = { headers: {}, first: nothing, end: nothing };

/** For work that nobody watches. */
export const unwatched: RequestWatch = {
  begin: () => nothing,
  inference: () => unwatchedInference,
  counts: nothing,
  flushed: nothing,
  tokens: () => ({ prompt: 0, completion: 0 }),
};

/** For requests of which only the tokens are counted. */
export const unrecorded: Recorder = ({ route }) => {
  const all: TokenCounts[] = [];
  return {
    ...unwatched,
    counts: (counts) => all.push(counts),
    tokens: () => sumOfCounts(all),
    route,
    asks: nothing,
    answers: nothing,
    context: {},
    timing: () => '',
    goesOn: () => unrecorded({ method: '', path: '', route, headers: {} }),
    end: () => ({}),
  };
};

/** What counts come to; those that nobody knows are left out. */
export function sumOfCounts(all: readonly TokenCounts[]): TokenSum {
  return {
    prompt: all.reduce((sum, { promptTokens = 0 }) => sum + promptTokens, 0),
    completion: all.reduce((sum, { completionTokens }) => sum + completionTokens, 0),
  };
}
