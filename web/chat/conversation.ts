/** A tool call of the model, with its result once it is known. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  readonly result?: string;
}

/** Timings of a response, in milliseconds. */
export interface Figures {
  readonly firstToken: number | undefined;
  readonly total: number;
  readonly tokens: number;
  readonly tokensPerSecond: number | undefined;
  /** The server sent no token count; chunks were counted instead. */
  readonly isEstimate: boolean;
}

/** The settings of a request; fields as typed. */
export interface ChatSettings {
  readonly model: string;
  readonly system: string;
  readonly fields: Readonly<Record<string, string>>;
}

export interface UserTurn {
  readonly role: 'user';
  readonly id: string;
  readonly text: string;
}

export interface AssistantTurn {
  readonly role: 'assistant';
  readonly id: string;
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ToolCall[];
  /** The finish reason of the API, or `stopped` by the user. */
  readonly finish: string | undefined;
  readonly error?: string;
  readonly figures?: Figures;
  /** Together with the turns before it, the exact request. */
  readonly settings: ChatSettings;
}

export type Turn = UserTurn | AssistantTurn;

export interface Conversation {
  readonly id: string;
  readonly settings: ChatSettings;
  readonly turns: readonly Turn[];
  /** Milliseconds since 1970. */
  readonly changed: number;
}

/** An empty conversation, with the settings of the one before. */
export function newConversation(settings: ChatSettings = { model: '', system: '', fields: {} }): Conversation {
  return { id: newId(), settings, turns: [], changed: Date.now() };
}

/** A unique id, also over plain HTTP, where browsers offer no randomUUID. */
export function newId(): string {
  return [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

const longestTitle = 60;

/** The title of a conversation: its first words. */
export function titleOf({ turns }: Pick<Conversation, 'turns'>): string {
  const first =
    turns
      .find(({ role }) => role === 'user')
      ?.text.trim()
      .split('\n', 1)[0] ?? '';
  if (first === '') return 'New conversation';
  return first.length > longestTitle ? `${first.slice(0, longestTitle)}…` : first;
}

/** The turns with the result of one call changed. */
export function withResult(turns: readonly Turn[], call: string, result: string): readonly Turn[] {
  return turns.map((turn) =>
    turn.role === 'assistant' && turn.calls.some(({ id }) => id === call)
      ? { ...turn, calls: turn.calls.map((each) => (each.id === call ? { ...each, result } : each)) }
      : turn,
  );
}
