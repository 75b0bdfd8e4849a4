/** A stored response, with all that a later request needs to continue it. */
export interface StoredResponse {
  readonly id: string;
  /** The only client that can read it. Empty without API keys. */
  readonly owner: string;
  /** Whole seconds since 1970. */
  readonly created: number;
  /** The response that it continues. */
  readonly previousId: string | null;
  /** The response object as the client gets it. */
  readonly response: Readonly<Record<string, unknown>>;
  /** The items of its own input, without those of the responses before it; each has an id. */
  readonly input: readonly Readonly<Record<string, unknown>>[];
}

/**
 * The store of responses. Saved responses survive a kill of the process. A failed call rejects with the ApiError
 * `store_unavailable`, whose cause is the reason.
 */
export interface ResponseStore {
  /**
   * Stores a response and replaces one with the same id and owner; resolves when it is durable. Rejects with
   * `request_too_large` if it is larger than the limit of the whole store.
   */
  save(response: StoredResponse): Promise<void>;
  find(owner: string, id: string): Promise<StoredResponse | undefined>;
  /**
   * The responses of the conversation up to this one, in order; undefined if one is missing, or if they exceed
   * `longestConversation` responses or `largestConversation` bytes.
   */
  conversation(owner: string, id: string): Promise<readonly StoredResponse[] | undefined>;
  /** Resolves to whether it existed. */
  delete(owner: string, id: string): Promise<boolean>;
  /** Resolves when all earlier calls are done. */
  close(): Promise<void>;
}

/** The limits of a store. It removes the oldest responses first. */
export interface StoreLimits {
  /** Seconds. */
  readonly maxAge: number;
  /** Bytes of all responses with their inputs. */
  readonly maxSize: number;
}

/** The maximum number of responses in a conversation. */
export const longestConversation = 10_000;

/** The maximum bytes of a conversation, which is read at once. */
export const largestConversation = 64 * 2 ** 20;

/** Responses created at this time or before are too old. */
export function lastExpired({ maxAge }: StoreLimits): number {
  return Math.max(-1, Math.floor(Date.now() / 1000 - maxAge));
}
