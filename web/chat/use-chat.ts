import { useRef, useState } from 'preact/hooks';
import type { Api } from '../lib/api.ts';
import { messageOf } from '../lib/request-error.ts';
import { ask } from './ask.ts';
import {
  type AssistantTurn,
  type ChatSettings,
  type Conversation,
  newConversation,
  newId,
  type Turn,
  withResult,
} from './conversation.ts';
import { forgetConversation, keepConversation, latestFirst, readConversations } from './history.ts';
import { onFrames } from './on-frames.ts';
import { type ChatRequest, chatRequest } from './request.ts';

/** The open conversation, the stored ones, and the actions on them. */
export interface Chat {
  readonly conversation: Conversation;
  readonly stored: readonly Conversation[];
  /** The response that is being generated. */
  readonly live: AssistantTurn | undefined;
  /** Why the last action failed. */
  readonly problem: string | undefined;
  readonly change: (changes: Partial<ChatSettings>) => void;
  /** Sends a message; false if the request is invalid. */
  readonly send: (text: string) => boolean;
  /** Repeats the request from this turn on; `text` replaces the text of a turn of the user. */
  readonly again: (turn: string, text?: string) => void;
  readonly giveResult: (call: string, result: string) => void;
  /** Continues with the results of the tool calls. */
  readonly goOn: () => void;
  readonly stop: () => void;
  readonly open: (conversation: Conversation) => void;
  readonly begin: () => void;
  readonly remove: (conversation: Conversation) => void;
}

/** Conversations with a server, stored in the browser. */
export function useChat(api: Api): Chat {
  const [stored, setStored] = useState(() => readConversations());
  const [conversation, setConversation] = useState(() => stored[0] ?? newConversation());
  const [live, setLive] = useState<AssistantTurn>();
  const [problem, setProblem] = useState<string>();
  const running = useRef<AbortController>(null);
  const latest = useRef(conversation);
  latest.current = conversation;
  const deleted = useRef(new Set<string>());

  const keep = (changed: Conversation): void => {
    if (deleted.current.has(changed.id)) return;
    if (latest.current.id === changed.id) {
      latest.current = changed;
      setConversation(changed);
    }
    if (changed.turns.length === 0) return;
    const isStored = keepConversation(changed);
    if (!isStored)
      setProblem('Browser storage is full: this conversation is not stored. Delete other conversations to free space.');
    setStored((known) => [changed, ...known.filter(({ id }) => id !== changed.id)].toSorted(latestFirst));
  };
  const stop = (): void => running.current?.abort();
  const run = (turns: readonly Turn[]): boolean => {
    const started: Conversation = { ...latest.current, turns, changed: Date.now() };
    const request = requestOf(started, setProblem);
    if (request === undefined) return false;
    stop();
    keep(started);
    const controller = new AbortController();
    running.current = controller;
    void generate(started, request, controller);
    return true;
  };
  const generate = async (started: Conversation, request: ChatRequest, controller: AbortController): Promise<void> => {
    const { settings } = started;
    const turn = emptyTurn(settings);
    setLive(turn);
    const frames = onFrames(setLive);
    const ended = await ask(api, request, {
      signal: controller.signal,
      onChange: ({ text, reasoning, calls, finish }) => frames.next({ ...turn, text, reasoning, calls, finish }),
    });
    frames.stop();
    const { text, reasoning, calls, finish } = ended.response;
    const { figures, errorText } = ended;
    const whole = {
      ...turn,
      text,
      reasoning,
      calls,
      finish,
      figures,
      ...(errorText === undefined ? {} : { error: errorText }),
    };
    // Meanwhile its settings may have changed, or another conversation may be open.
    const now = latest.current.id === started.id ? latest.current : started;
    if (running.current === controller) {
      running.current = null;
      setLive(undefined);
    }
    if (now.turns === started.turns) keep({ ...now, turns: [...started.turns, whole], changed: Date.now() });
  };
  const show = (next: Conversation): void => {
    stop();
    setLive(undefined);
    setProblem(undefined);
    latest.current = next;
    setConversation(next);
  };
  return {
    conversation,
    stored,
    live,
    problem,
    change: (changes) => {
      setProblem(undefined);
      keep({ ...latest.current, settings: { ...latest.current.settings, ...changes } });
    },
    send: (text) => run([...latest.current.turns, { role: 'user', id: newId(), text }]),
    again: (id, text) => {
      const { turns } = latest.current;
      const at = turns.findIndex((turn) => turn.id === id);
      const turn = turns[at];
      if (turn === undefined) return;
      run(turn.role === 'user' ? [...turns.slice(0, at), { ...turn, text: text ?? turn.text }] : turns.slice(0, at));
    },
    giveResult: (call, result) => keep({ ...latest.current, turns: withResult(latest.current.turns, call, result) }),
    goOn: () => run(latest.current.turns),
    stop,
    open: (selected) => {
      if (selected.id !== latest.current.id) show(selected);
    },
    begin: () => show(newConversation(latest.current.settings)),
    remove: (removed) => {
      // A response that is still running must not store it again.
      deleted.current.add(removed.id);
      forgetConversation(removed);
      const remaining = readConversations();
      setStored(remaining);
      if (removed.id === latest.current.id) show(remaining[0] ?? newConversation(removed.settings));
    },
  };
}

function emptyTurn(settings: ChatSettings): AssistantTurn {
  return { role: 'assistant', id: newId(), text: '', reasoning: '', calls: [], finish: undefined, settings };
}

/** The request of a conversation, or undefined after reporting why it is invalid. */
function requestOf(
  { settings, turns }: Conversation,
  tell: (problem: string | undefined) => void,
): ChatRequest | undefined {
  try {
    if (settings.model === '') throw new Error('Select a model first.');
    const request = chatRequest(settings, turns);
    tell(undefined);
    return request;
  } catch (error) {
    tell(messageOf(error));
    return undefined;
  }
}
