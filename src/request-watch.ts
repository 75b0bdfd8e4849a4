/** The times of a request in the engine, in milliseconds: waiting, up to the first token, and up to the last one. */
export interface EngineTimes {
  readonly queue: number;
  readonly prefill: number;
  readonly decode: number;
}

/** Tokens of a generation, which grow while it runs. */
export interface TokenCounts {
  /** Undefined if unknown. */
  readonly promptTokens: number | undefined;
  readonly completionTokens: number;
  readonly cachedTokens?: number | undefined;
  readonly reasoningTokens?: number | undefined;
  /** Tokens that the engine proposed by speculative decoding, and how many of them it accepted. */
  readonly draftTokens?: number | undefined;
  readonly acceptedTokens?: number | undefined;
  /** The times in the engine, where it reports them; of several inferences, the longest. */
  readonly engineTimes?: EngineTimes | undefined;
  /** The share of the prompt that the engine had in its cache, where it reports it; of several inferences, the lowest. */
  readonly cacheHitRate?: number | undefined;
  /** The finish reasons of the choices that have ended. */
  readonly finishReasons?: readonly string[];
}

/** The tokens of a request so far. */
export interface TokenSum {
  readonly prompt: number;
  readonly completion: number;
}

/** The parts of the work for a request that are timed. */
export type Phase = 'queue' | 'template' | 'tokenize' | 'infer';

/** What is known of an inference when it starts. */
export interface InferenceFacts {
  readonly server: string;
  /** The model's name on that server. */
  readonly model: string;
  /** The token limit; undefined if there is none. */
  readonly maxTokens: number | undefined;
}

/** Receives the events of an inference. */
export interface InferenceWatch {
  /** Headers for the server, such as the context of a trace. */
  readonly headers: Readonly<Record<string, string>>;
  /** The first response has arrived. */
  first(): void;
  /** It is over: complete, abandoned or failed; `retried` if another inference replaces it. Called once. */
  end(error?: unknown): void;
}

/** The error of an inference that is retried. */
export const retried = 'retried';

/** Receives the events of a request, for metrics, traces, the log and token charges. Nothing is called per token. */
export interface RequestWatch {
  /** A phase starts; call the returned function when it is over. */
  begin(phase: Phase): () => void;
  /** An inference starts. A request may have several, one after another or at the same time. */
  inference(facts: InferenceFacts): InferenceWatch;
  /** Adds token counts of the request; they are read when needed, at the latest at its end. */
  counts(counts: TokenCounts): void;
  /** Something of a streamed response was handed to the client's connection at this time (`performance.now()`). */
  flushed(now: number): void;
  /** The current sum of its counts. */
  tokens(): TokenSum;
}

type PhaseWatch = Pick<RequestWatch, 'begin'>;

/** Runs a phase of the work and records how long it took. */
export function during<Result>(watch: PhaseWatch, phase: Phase, work: () => Promise<Result>): Promise<Result>;
export function during<Result>(
  watch: PhaseWatch,
  phase: Phase,
  work: () => Result | Promise<Result>,
): Result | Promise<Result>;
export function during<Result>(
  watch: PhaseWatch,
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
  /** The HTTP status; 499 if the client disconnected. */
  readonly status: number;
  /** The code of the error table; undefined without an error. */
  readonly code: string | undefined;
  /** Whether the client disconnected before the end of the response. */
  readonly hasDisconnected: boolean;
  /** The name of the key that it came with. */
  readonly key: string | undefined;
}

/** The record of a request, from its start to its end. */
export interface RequestRecord extends RequestWatch {
  /** The pattern of its path. */
  route: string | undefined;
  /** Sets the model. Of the request's fields, only numeric sampling parameters are recorded. */
  setRequest(model: string, request?: Readonly<Record<string, unknown>>): void;
  /** Sets the id of the response. */
  setResponseId(id: string): void;
  /** Headers that propagate the trace context. */
  readonly context: Readonly<Record<string, string>>;
  /** The known timings, in the format of the header Server-Timing. */
  timing(): string;
  /** A record for work that continues after the response is sent. */
  continuation(): RequestRecord;
  /** It is over. Returns the fields of its log line. Called once. */
  end(outcome: RequestOutcome): Readonly<Record<string, string | number>>;
}

/** Makes the record of a request. */
export type Recorder = (facts: RequestFacts) => RequestRecord;

const nothing = (): void => undefined;
const noInferenceWatch: InferenceWatch = { headers: {}, first: nothing, end: nothing };

/** For work without metrics and traces. */
export const noWatch: RequestWatch = {
  begin: () => nothing,
  inference: () => noInferenceWatch,
  counts: nothing,
  flushed: nothing,
  tokens: () => ({ prompt: 0, completion: 0 }),
};

/** For requests of which only the tokens are counted. */
export const countingRecorder: Recorder = ({ route }) => {
  const all: TokenCounts[] = [];
  return {
    ...noWatch,
    counts: (counts) => all.push(counts),
    tokens: () => sumOfCounts(all),
    route,
    setRequest: nothing,
    setResponseId: nothing,
    context: {},
    timing: () => '',
    continuation: () => countingRecorder({ method: '', path: '', route, headers: {} }),
    end: () => ({}),
  };
};

/** The sum of token counts, without unknown ones. */
export function sumOfCounts(all: readonly TokenCounts[]): TokenSum {
  return {
    prompt: all.reduce((sum, { promptTokens = 0 }) => sum + promptTokens, 0),
    completion: all.reduce((sum, { completionTokens }) => sum + completionTokens, 0),
  };
}
