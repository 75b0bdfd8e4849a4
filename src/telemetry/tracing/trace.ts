import type { EngineTimes, InferenceFacts, Phase, RequestFacts, RequestOutcome } from '../../request-watch.ts';

/** The traced facts of a model request. */
export interface TracedRequest {
  /** Undefined if no model runs. */
  readonly operation: string | undefined;
  readonly model: string;
  readonly request: Readonly<Record<string, unknown>>;
}

/** The outcome of a request, for its trace. */
export interface TracedOutcome extends RequestOutcome {
  readonly route: string | undefined;
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly cachedTokens: number | undefined;
  readonly reasoningTokens: number | undefined;
  readonly draftTokens: number | undefined;
  readonly acceptedTokens: number | undefined;
  readonly engineTimes: EngineTimes | undefined;
  readonly cacheHitRate: number | undefined;
  readonly responseId: string | undefined;
  readonly finishReasons: readonly string[];
}

/** An inference within a trace. */
export interface InferenceTrace {
  readonly headers: Readonly<Record<string, string>>;
  first(): void;
  end(outcome: string): void;
}

/** The trace of one request: its spans, and the context that is sent to the servers. */
export interface RequestTrace {
  readonly traceId: string;
  readonly headers: Readonly<Record<string, string>>;
  asks(request: TracedRequest): void;
  phase(phase: Phase): () => void;
  inference(facts: InferenceFacts): InferenceTrace;
  /** The trace of work that continues after the response. */
  goesOn(): RequestTrace;
  end(outcome: TracedOutcome): void;
}

/** Creates the traces of requests. */
export interface Tracing {
  begin(facts: RequestFacts): RequestTrace;
  /** Sends the remaining spans, within a time limit. */
  close(): Promise<void>;
}
