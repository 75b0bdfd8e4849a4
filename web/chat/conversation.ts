/** What a model wants to have called, and what came of it. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  readonly result?: string;
}

/** How quick an answer was; times in milliseconds. */
export interface Figures {
  readonly firstToken: number | undefined;
  readonly total: number;
  readonly tokens: number;
  readonly tokensPerSecond: number | undefined;
  /** The server did not tell the number of tokens, so that pieces were counted. */
  readonly isEstimate: boolean;
}

/** What an answer is asked for with, beside the messages; fields as they are typed. */
export interface Asked {
  readonly model: string;
  readonly system: string;
  readonly fields: Readonly<Record<string, string>>;
}

export interface UserTurn {
  readonly role: 'user';
  readonly id: string;
  readonly text: string;
}

export interface AnswerTurn {
  readonly role: 'assistant';
  readonly id: string;
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ToolCall[];
  /** As the API has it, or `stopped` by whoever asked. */
  readonly finish: string | undefined;
  readonly fault?: string;
  readonly figures?: Figures;
  /** With the turns before it, the very request. */
  readonly asked: Asked;
}

export type Turn = UserTurn | AnswerTurn;

export interface Conversation {
  readonly id: string;
  readonly asked: Asked;
  readonly turns: readonly Turn[];
  /** Milliseconds since 1970. */
  readonly changed: number;
}

/** A conversation without a word, with the settings of the one before. */
export function newConversation(asked: Asked = { model: '', system: '', fields: {} }): Conversation {
  return { id: newId(), asked, turns: [], changed: Date.now() };
}

/** An id of its own, also where the page came over plain HTTP and browsers offer no randomUUID. */
export function newId(): string {
  return [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

const longestTitle = 60;

/** What a conversation is called: its first words. */
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
