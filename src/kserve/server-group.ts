import type { CallOptions, InferenceServer, InferResponse } from './server.ts';

export type Responses = AsyncIterableIterator<InferResponse[]>;

/** What helps to choose a server. */
export interface GroupOptions extends Pick<CallOptions, 'signal' | 'timeout'> {
  /** What the request begins with, so that like goes to like: its text, or its tokens. */
  readonly prefix?: string | Int32Array | undefined;
}

/** The servers that have one model ready. Which of them takes a request is chosen anew for each. */
export interface ServerGroup {
  readonly servers: readonly InferenceServer[];
  /**
   * The responses of an inference that is begun on one server. While nothing has come, one that fails for no fault of
   * the request's is begun again, elsewhere where possible; so `begin` may be called several times.
   */
  stream(begin: (server: InferenceServer) => Responses, options: GroupOptions): Responses;
}
