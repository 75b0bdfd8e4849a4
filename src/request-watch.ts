/** Tokens of a generation, which grow while it runs. */
export interface TokenCounts {
  /** Undefined where nobody can count them. */
  readonly promptTokens: number | undefined;
  readonly completionTokens: number;
  readonly cachedTokens?: number | undefined;
  readonly reasoningTokens?: number | undefined;
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
  /** It is over: complete, left, or with a fault. Called once. */
  end(fault?: unknown): void;
}

/** Hears how a request goes, for metrics, traces, the log and what is charged. Nothing of it is called for a token. */
export interface RequestWatch {
  /** A part of the work begins; the function that it gives says that it is over. */
  begin(phase: Phase): () => void;
  /** An inference begins; a request may have several, one after another or at the same time. */
  inference(facts: InferenceFacts): InferenceWatch;
  /** Counts that belong to the request; they are read when they are needed, at the latest at its end. */
  counts(counts: TokenCounts): void;
  /** The tokens of all these counts so far, of prompts and answers together; those that nobody counts are left out. */
  tokens(): number;
  /** Something of the answer was handed to the client's connection. */
  flushed(): void;
}

const nothing = (): void => undefined;
const unwatchedInference: InferenceWatch = { headers: {}, first: nothing, end: nothing };

/** For work that nobody watches. */
export const unwatched: RequestWatch = {
  begin: () => nothing,
  inference: () => unwatchedInference,
  counts: nothing,
  tokens: () => 0,
  flushed: nothing,
};

/** For work of which only the tokens matter. */
export function countingWatch(): RequestWatch {
  const all: TokenCounts[] = [];
  return {
    ...unwatched,
    counts: (counts) => all.push(counts),
    tokens: () => all.reduce((sum, counts) => sum + (counts.promptTokens ?? 0) + counts.completionTokens, 0),
  };
}
