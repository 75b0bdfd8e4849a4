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
  /** The error message of the server. */
  readonly message: string;
  /** What found it: a request that failed on it, or a probe. */
  readonly by: 'request' | 'probe';
  /** The id of the request that found it, if known. */
  readonly requestId?: string | undefined;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Receives events of engines. */
export interface EngineListener {
  /** `isOwn`: this process found it. */
  onFailed?(place: EnginePlace, failure: EngineFailure, isOwn: boolean): void;
  onHealed?(place: EnginePlace): void;
  /** Requests wait for it, and no response has arrived for a while. */
  onSilent?(place: EnginePlace): void;
}

/** The failed engines that this process knows. They get no requests. */
export interface Engines {
  listen(listener: EngineListener): void;
  failureOf(place: EnginePlace): EngineFailure | undefined;
  failed(): readonly { readonly place: EnginePlace; readonly failure: EngineFailure }[];
  /** An engine has failed; `isOwn`: this process found it. */
  fail(place: EnginePlace, failure: EngineFailure, isOwn: boolean): void;
  /** An engine works again, or is gone. */
  heal(place: EnginePlace): void;
}
