import type { Signal } from '../signal.ts';
import type { CallOptions, InferenceServer, ResponseSink, RunningInference } from './server.ts';
import type { StatusError } from './status.ts';

/** One try of an inference. */
export interface Beginning {
  /** Milliseconds that are left for it; undefined: no limit. */
  readonly timeout: number | undefined;
  /** Why the try before it failed; undefined: it is the first. */
  readonly after?: unknown;
}

/** Begins one try on a server. */
export type BeginInference = (server: InferenceServer, beginning: Beginning, sink: ResponseSink) => RunningInference;

/** The server of several inferences; undefined before the first of them has begun. */
export interface SharedServer {
  server?: InferenceServer;
}

/** What helps to choose a server, and to judge it by how it answers. */
export interface GroupOptions extends Pick<CallOptions, 'signal' | 'timeout'> {
  /** What the request begins with, so that like goes to like: its text, or its tokens. */
  readonly prefix?: string | Int32Array | undefined;
  /** Servers on which it has failed already: they take it only where no other does. */
  readonly avoid?: ReadonlySet<InferenceServer> | undefined;
  /** The whole answer comes as one response: the time for the first one does not bound it. */
  readonly answersOnce?: boolean;
  /** It changes something on its server, so it is never begun again. */
  readonly isOnlyOnce?: boolean;
  /** A grammar, schema or pattern guides its response: Conch does not repeat it after an engine failure. */
  readonly isGuided?: boolean;
  /** Shared by inferences that go to one server, the one that takes the first: a guide runs on one engine only. */
  readonly shared?: SharedServer | undefined;
  /** The id of the request, for the log. */
  readonly requestId?: string;
  /** The HTTP status that stands for a failure, where its text is understood: below 500 the request is to blame. */
  readonly statusOf?: (error: StatusError) => number | undefined;
}

/** The servers that have one model ready. Which of them takes a request is chosen anew for each. */
export interface ServerGroup {
  readonly servers: readonly InferenceServer[];
  /**
   * Begins an inference on one server. While nothing has come, one that fails for no fault of the request's is begun
   * again, elsewhere where possible; so `begin` may be called several times. For the sink, see InferenceServer.stream.
   */
  stream(begin: BeginInference, sink: ResponseSink, options: GroupOptions): RunningInference;
  /**
   * Whether an inference that was broken off after its first response may be begun again: it counts as a retry, and
   * there are only so many. The answer comes after the pause that is due.
   */
  again(signal: Signal): Promise<boolean>;
}
