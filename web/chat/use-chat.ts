import { useRef, useState } from 'preact/hooks';
import type { Api } from '../lib/api.ts';
import { faultText } from '../lib/fault.ts';
import { ask } from './ask.ts';
import {
  type AnswerTurn,
  type Asked,
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
  readonly kept: readonly Conversation[];
  /** The response that is being generated. */
  readonly live: AnswerTurn | undefined;
  /** Why the last action failed. */
  readonly problem: string | undefined;
  readonly change: (asked: Partial<Asked>) => void;
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
  const [kept, setKept] = useState(() => readConversations());
  const [conversation, setConversation] = useState(() => kept[0] ?? newConversation());
  const [live, setLive] = useState<AnswerTurn>();
  const [problem, setProblem] = useState<string>();
  const running = useRef<AbortController>(null);
  const latest = useRef(conversation);
  latest.current = conversation;
  const gone = useRef(new Set<string>());

  const keep = (changed: Conversation): void => {
    if (gone.current.has(changed.id)) return;
    if (latest.current.id === changed.id) {
      latest.current = changed;
      setConversation(changed);
    }
    if (changed.turns.length === 0) return;
    const isKept = keepConversation(changed);
    if (!isKept)
      setProblem('Browser storage is full: this conversation is not stored. Delete other conversations to free space.');
    setKept((known) => [changed, ...known.filter(({ id }) => id !== changed.id)].toSorted(latestFirst));
  };
  const stop = (): void => running.current?.abort();
  const run = (turns: readonly Turn[]): boolean => {
    const begun: Conversation = { ...latest.current, turns, changed: Date.now() };
    const request = requestOf(begun, setProblem);
    if (request === undefined) return false;
    stop();
    keep(begun);
    const controller = new AbortController();
    running.current = controller;
    void answer(begun, request, controller);
    return true;
  };
  const answer = async (begun: Conversation, request: ChatRequest, controller: AbortController): Promise<void> => {
    const { asked } = begun;
    const turn = emptyAnswer(asked);
    setLive(turn);
    const frames = onFrames(setLive);
    const ended = await ask(api, request, {
      signal: controller.signal,
      onChange: ({ text, reasoning, calls, finish }) => frames.next({ ...turn, text, reasoning, calls, finish }),
    });
    frames.stop();
    const { text, reasoning, calls, finish } = ended.answer;
    const { figures, fault } = ended;
    const whole = { ...turn, text, reasoning, calls, finish, figures, ...(fault === undefined ? {} : { fault }) };
    // Meanwhile its settings may have changed, or another conversation may be open.
    const now = latest.current.id === begun.id ? latest.current : begun;
    if (running.current === controller) {
      running.current = null;
      setLive(undefined);
    }
    if (now.turns === begun.turns) keep({ ...now, turns: [...begun.turns, whole], changed: Date.now() });
  };
  const show = (shown: Conversation): void => {
    stop();
    setLive(undefined);
    setProblem(undefined);
    latest.current = shown;
    setConversation(shown);
  };
  return {
    conversation,
    kept,
    live,
    problem,
    change: (asked) => {
      setProblem(undefined);
      keep({ ...latest.current, asked: { ...latest.current.asked, ...asked } });
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
    open: (wanted) => {
      if (wanted.id !== latest.current.id) show(wanted);
    },
    begin: () => show(newConversation(latest.current.asked)),
    remove: (removed) => {
      // A response that is still running must not store it again.
      gone.current.add(removed.id);
      forgetConversation(removed);
      const left = readConversations();
      setKept(left);
      if (removed.id === latest.current.id) show(left[0] ?? newConversation(removed.asked));
    },
  };
}

function emptyAnswer(asked: Asked): AnswerTurn {
  return { role: 'assistant', id: newId(), text: '', reasoning: '', calls: [], finish: undefined, asked };
}

/** The request of a conversation, or undefined after reporting why it is invalid. */
function requestOf(
  { asked, turns }: Conversation,
  tell: (problem: string | undefined) => void,
): ChatRequest | undefined {
  try {
    if (asked.model === '') throw new Error('Select a model first.');
    const request = chatRequest(asked, turns);
    tell(undefined);
    return request;
  } catch (error) {
    tell(faultText(error));
    return undefined;
  }
}
