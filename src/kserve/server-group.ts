import type { Signal } from '../signal.ts';
import type { CallOptions, InferenceServer, ResponseSink, RunningInference } from './server.ts';
import type { StatusError } from './status.ts';

/** One attempt of an inference. */
export interface Attempt {
  /** The remaining milliseconds; undefined: no limit. */
  readonly timeout: number | undefined;
  /** Why the previous attempt failed; undefined for the first one. */
  readonly after?: unknown;
}

/** Starts one attempt on a server. */
export type BeginInference = (server: InferenceServer, attempt: Attempt, sink: ResponseSink) => RunningInference;

/** The server of several inferences; undefined before the first of them has started. */
export interface SharedServer {
  server?: InferenceServer;
}

/** Options for the choice of a server and the evaluation of its responses. */
export interface GroupOptions extends Pick<CallOptions, 'signal' | 'timeout'> {
  /** The start of the prompt, as text or tokens, so that similar requests go to the same server. */
  readonly prefix?: string | Int32Array | undefined;
  /** Servers on which it has already failed. They get it only if no other can. */
  readonly avoid?: ReadonlySet<InferenceServer> | undefined;
  /** The result is one response: the limit for the first response does not apply. */
  readonly hasSingleResponse?: boolean;
  /** It changes something on its server, so Conch never retries it. */
  readonly isOnlyOnce?: boolean;
  /** A grammar, schema or pattern guides its response: Conch does not repeat it after an engine failure. */
  readonly isGuided?: boolean;
  /** Shared by inferences that must run on one server, that of the first one: a guide runs on one engine only. */
  readonly shared?: SharedServer | undefined;
  /** The id of the request, for the log. */
  readonly requestId?: string;
  /** The HTTP status of a known failure: below 500, the request caused it. */
  readonly statusOf?: (error: StatusError) => number | undefined;
}

/** The servers where one model is ready. Each request gets one of them. */
export interface ServerGroup {
  readonly servers: readonly InferenceServer[];
  /**
   * Starts an inference on one server. Before its first response, Conch retries it if the request did not cause the
   * failure, on another server if possible. So `begin` may be called several times. For the sink, see
   * InferenceServer.stream.
   */
  stream(begin: BeginInference, sink: ResponseSink, options: GroupOptions): RunningInference;
  /**
   * Whether Conch may restart an inference that failed after its first response. It counts against the retry budget.
   * Resolves after the pause before a retry.
   */
  again(signal: Signal): Promise<boolean>;
}
