/** A response that was kept, with all that a later request needs to go on from it. */
export interface StoredResponse {
  readonly id: string;
  /** Whom it belongs to; nobody else can see it. Empty where there are no keys. */
  readonly owner: string;
  /** Seconds since 1970. */
  readonly created: number;
  /** The response that it goes on from. */
  readonly previousId: string | null;
  /** The response object as the client gets it. */
  readonly response: Readonly<Record<string, unknown>>;
  /** The items of its own input, without those of the responses before it; each has an id. */
  readonly input: readonly Readonly<Record<string, unknown>>[];
}

/** Where responses are kept. What has been saved is there after the process was killed, whole. */
export interface ResponseStore {
  /** Keeps a response, in the place of one with the same id and owner; resolves when it is durable. */
  save(response: StoredResponse): Promise<void>;
  find(owner: string, id: string): Promise<StoredResponse | undefined>;
  /** The responses that lead to this one, the first of the conversation first, this one last; undefined where one is gone. */
  conversation(owner: string, id: string): Promise<readonly StoredResponse[] | undefined>;
  /** Whether there was one. */
  delete(owner: string, id: string): Promise<boolean>;
  close(): Promise<void>;
}

/** What a store may hold; the oldest go first. */
export interface StoreLimits {
  /** Seconds. */
  readonly maxAge: number;
  /** Bytes of all responses with their inputs. */
  readonly maxSize: number;
}
