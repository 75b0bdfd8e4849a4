/** A response that was kept, with all that a later request needs to go on from it. */
export interface StoredResponse {
  readonly id: string;
  /** Whom it belongs to; nobody else can see it. Empty where there are no keys. */
  readonly owner: string;
  /** Whole seconds since 1970. */
  readonly created: number;
  /** The response that it goes on from. */
  readonly previousId: string | null;
  /** The response object as the client gets it. */
  readonly response: Readonly<Record<string, unknown>>;
  /** The items of its own input, without those of the responses before it; each has an id. */
  readonly input: readonly Readonly<Record<string, unknown>>[];
}

/**
 * Where responses are kept. What has been saved is there after the process was killed, whole. What cannot be done is an
 * ApiError, `store_unavailable`, whose cause says why.
 */
export interface ResponseStore {
  /**
   * Keeps a response, in the place of one with the same id and owner; resolves when it is durable. One that is larger
   * than the whole store may be is refused with `request_too_large`.
   */
  save(response: StoredResponse): Promise<void>;
  find(owner: string, id: string): Promise<StoredResponse | undefined>;
  /**
   * The responses that lead to this one, the first of the conversation first, this one last; undefined where one is
   * gone, or where there are more than `longestConversation`, or more bytes than `largestConversation`.
   */
  conversation(owner: string, id: string): Promise<readonly StoredResponse[] | undefined>;
  /** Whether there was one. */
  delete(owner: string, id: string): Promise<boolean>;
  /** Resolves when all that was asked before is done. */
  close(): Promise<void>;
}

/** What a store may hold; the oldest go first. */
export interface StoreLimits {
  /** Seconds. */
  readonly maxAge: number;
  /** Bytes of all responses with their inputs. */
  readonly maxSize: number;
}

/** How many responses a conversation may have. */
export const longestConversation = 10_000;

/** The most bytes that they may have together: all of it is read at once. */
export const largestConversation = 64 * 2 ** 20;

/** Responses created at this time or before are too old. */
export function lastExpired({ maxAge }: StoreLimits): number {
  return Math.max(-1, Math.floor(Date.now() / 1000 - maxAge));
}
