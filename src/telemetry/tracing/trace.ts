import type { InferenceFacts, Phase, RequestFacts, RequestOutcome } from '../../request-watch.ts';

/** What a request asks for, as far as its trace tells. */
export interface TracedRequest {
  /** Undefined where no model runs. */
  readonly operation: string | undefined;
  readonly model: string;
  readonly request: Readonly<Record<string, unknown>>;
}

/** What the trace of a request says in the end. */
export interface TracedOutcome extends RequestOutcome {
  readonly route: string | undefined;
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly cachedTokens: number | undefined;
  readonly reasoningTokens: number | undefined;
  readonly answerId: string | undefined;
  readonly finishReasons: readonly string[];
}

/** An inference within a trace. */
export interface InferenceTrace {
  readonly headers: Readonly<Record<string, string>>;
  first(): void;
  end(outcome: string): void;
}

/** The trace of one request: its spans, and the context that goes on to the servers. */
export interface RequestTrace {
  readonly traceId: string;
  readonly headers: Readonly<Record<string, string>>;
  asks(asked: TracedRequest): void;
  phase(phase: Phase): () => void;
  inference(facts: InferenceFacts): InferenceTrace;
  /** The trace of work that goes on when the request is answered. */
  goesOn(): RequestTrace;
  end(outcome: TracedOutcome): void;
}

/** Makes the traces of requests. */
export interface Tracing {
  begin(facts: RequestFacts): RequestTrace;
  /** Sends what is left, within a bound of time. */
  close(): Promise<void>;
}
