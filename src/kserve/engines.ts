import type { FailedPart } from './engine-failure.ts';
import type { InferenceServer } from './server.ts';

/** An engine: a model on a server, by its name there. */
export interface EngineLocation {
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
  onFailed?(location: EngineLocation, failure: EngineFailure, isOwn: boolean): void;
  onHealed?(location: EngineLocation): void;
  /** Requests wait for it, and no response has arrived for a while. */
  onSilent?(location: EngineLocation): void;
}

/** The failed engines that this process knows. They get no requests. */
export interface Engines {
  listen(listener: EngineListener): void;
  failureOf(location: EngineLocation): EngineFailure | undefined;
  failed(): readonly { readonly location: EngineLocation; readonly failure: EngineFailure }[];
  /** An engine has failed; `isOwn`: this process found it. */
  fail(location: EngineLocation, failure: EngineFailure, isOwn: boolean): void;
  /** An engine works again, or is gone. */
  heal(location: EngineLocation): void;
}
