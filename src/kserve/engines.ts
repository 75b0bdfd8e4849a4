import type { FailedPart } from './engine-failure.ts';
import type { InferenceServer } from './server.ts';

/** An engine: a model on a server, by its name there. */
export interface EnginePlace {
  readonly server: InferenceServer;
  readonly model: string;
}

/** What is known of a failed engine. */
export interface EngineFailure {
  readonly part: FailedPart;
  /** The server's own words. */
  readonly message: string;
  /** What found it: a request that failed on it, or a probe. */
  readonly by: 'request' | 'probe';
  /** The request that found it, where its id is known. */
  readonly requestId?: string | undefined;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Receives what is found out about engines. */
export interface EngineListener {
  /** `isOwn`: this process found it. */
  onFailed?(place: EnginePlace, failure: EngineFailure, isOwn: boolean): void;
  onHealed?(place: EnginePlace): void;
  /** Requests wait for it, and nothing has come for a while. */
  onSilent?(place: EnginePlace): void;
}

/** Which engines have failed, as this process knows it. A failed one is sent nothing. */
export interface Engines {
  listen(listener: EngineListener): void;
  failureOf(place: EnginePlace): EngineFailure | undefined;
  failed(): readonly { readonly place: EnginePlace; readonly failure: EngineFailure }[];
  /** An engine has failed; `isOwn`: this process found it. */
  fail(place: EnginePlace, failure: EngineFailure, isOwn: boolean): void;
  /** An engine works again, or is gone. */
  heal(place: EnginePlace): void;
}
