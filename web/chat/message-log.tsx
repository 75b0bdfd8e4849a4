import { useEffect, useRef } from 'preact/hooks';
import type { AssistantTurn, Turn } from './conversation.ts';
import { ResponseView } from './response-view.tsx';
import type { Chat } from './use-chat.ts';
import { UserView } from './user-view.tsx';

/** How many pixels from its end the log still follows new text. */
const near = 80;

/** All turns of the open conversation. Screen readers announce a response when it is complete. */
export function MessageLog({ chat, hasKey }: { readonly chat: Chat; readonly hasKey: boolean }) {
  const { conversation, live } = chat;
  const { turns } = conversation;
  const log = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  useEffect(() => {
    const { current } = log;
    if (current && follows.current) current.scrollTop = current.scrollHeight;
  }, [turns, live]);
  const isGenerating = live !== undefined;
  return (
    <>
      <div
        class="log"
        ref={log}
        role="log"
        aria-label="Messages"
        aria-busy={isGenerating}
        // Focusable, so that the keyboard can scroll it
        tabIndex={0}
        onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
          follows.current = scrollHeight - scrollTop - clientHeight < near;
        }}
      >
        {turns.length === 0 && !isGenerating && <p class="hint empty">Send a message to start a conversation.</p>}
        {turns.map((turn, at) =>
          turn.role === 'user' ? (
            <UserView key={turn.id} turn={turn} onEdit={(text) => chat.again(turn.id, text)} />
          ) : (
            <ResponseView
              key={turn.id}
              turn={turn}
              before={turns.slice(0, at)}
              hasKey={hasKey}
              chat={chat}
              isLast={at === turns.length - 1 && !isGenerating}
            />
          ),
        )}
        {live && <ResponseView key={live.id} turn={live} before={turns} hasKey={hasKey} chat={chat} isLive />}
      </div>
      <p class="offscreen" role="status">
        {statusOf(live, turns.at(-1))}
      </p>
    </>
  );
}

function statusOf(live: AssistantTurn | undefined, last: Turn | undefined): string {
  if (live) return live.text === '' ? 'Waiting for the response.' : 'Receiving the response.';
  if (last?.role !== 'assistant') return '';
  if (last.error !== undefined) return 'The response failed.';
  return last.finish === 'stopped' ? 'The response was stopped.' : 'The response is complete.';
}
